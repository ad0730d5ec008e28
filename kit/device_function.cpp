// SPDX-License-Identifier: Apache-2.0
#include "kit/device_function.h"

#include "compiler/codegen/vdla/segment.h"
#include "compiler/graph/types.h"
#include "compiler/pipeline/kernels.h"
#include "isa/verify/verify.h"
#include "kit/data_type.h"
#include "runtime/device/device_program.h"
#include "runtime/module/module_check.h"
#include "support/error.h"

namespace vdla::kit {
namespace {

constexpr std::uint64_t kAlignment = 64;  // bytes: bursts and entries begin on their own

/// Offsets of parameters in their windows, one behind the other.
class FunctionWindows {
 public:
  codegen::DramPlace place(isa::Window window, std::uint64_t bytes) {
    std::uint64_t& end = ends_[static_cast<std::size_t>(window)];
    const codegen::DramPlace place{window, end};
    end += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    return place;
  }

 private:
  std::array<std::uint64_t, isa::kWindowCount> ends_{};
};

}  // namespace

runtime::Module device_module(const loop::Func& func, const isa::Variant& variant,
                              const std::vector<intrinsics::Intrinsic>& own) {
  runtime::Module module;
  module.model_name = func.name;
  module.target = "vdla";
  module.variant = variant;
  runtime::DeviceStep step;
  FunctionWindows windows;
  std::vector<codegen::Location> places;
  for (const loop::Param& param : func.params) {
    VDLA_CHECK_USER(param.direction != loop::Direction::InOut && !param.buffer->shape.empty())
        << "parameter '" << param.buffer->name << "' of '" << func.name
        << "' is read and written, or a scalar; the device takes tensors that are one or the other";
    const bool in = param.direction == loop::Direction::In;
    const runtime::Tensor tensor{param.buffer->name,
                                 to_runtime(graph::data_type_of(param.buffer->dtype)),
                                 param.buffer->shape,
                                 {},
                                 {}};
    const runtime::DeviceLayout layout =
        runtime::padded_layout(tensor.shape, tensor.type, tensor.shape.back());
    const auto index = static_cast<runtime::TensorIndex>(module.tensors.size());
    const codegen::DramPlace place = windows.place(in ? isa::Window::Input : isa::Window::Output,
                                                   static_cast<std::uint64_t>(layout.bytes));
    places.emplace_back(place);
    (in ? step.inputs : step.outputs).push_back({index, place.window, place.offset, layout});
    (in ? module.inputs : module.outputs).push_back({index, tensor.name, tensor.type, tensor.shape, {}, {}});
    module.tensors.push_back(tensor);
  }
  codegen::SegmentBuilder segment(variant.geometry, own);
  segment.add({func.name, "function", ""}, pipeline::lower_for_device(func, variant.geometry, own), places);
  step.program = segment.finish();
  isa::require_verified(step.program, runtime::verify_options(step));
  module.nodes.push_back(
      {.name = func.name, .op = "function", .place = "vdla", .reason = "", .layer = func.name, .step = 0});
  module.steps.emplace_back(std::move(step));
  runtime::check(module);
  return module;
}

}  // namespace vdla::kit
