// SPDX-License-Identifier: Apache-2.0
#include "runtime/module/module_check.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "runtime/module/gpu_check.h"
#include "runtime/module/state_check.h"
#include "runtime/module/value_check.h"
#include "support/error.h"
#include "support/overloaded.h"

namespace vdla::runtime {
namespace {

/// A window or a buffer: "window act".
struct Room {
  std::string name;
  std::uint64_t bytes;
};

Room window_of(isa::Window window, const isa::Program& program) {
  return {fmt::format("window {}", isa::to_string(window)), program.window_size(window)};
}

void check_data_window(const Tensor& t, isa::Window window, const std::string& where) {
  VDLA_CHECK_USER(window != isa::Window::Insn && window != isa::Window::Uop && window != isa::Window::Const)
      << where << ": tensor '" << t.name << "' lies in window " << isa::to_string(window)
      << ", which is the program's own";
}

/// `place` has an offset and a layout.
void check_bytes(const Tensor& t, const auto& place, const Room& room, const std::string& where) {
  const std::string fault = find_fault(place.layout, t.shape, t.type);
  VDLA_CHECK_USER(fault.empty()) << where << ": the layout of tensor '" << t.name << "' " << fault;
  const auto bytes = static_cast<std::uint64_t>(place.layout.bytes);
  VDLA_CHECK_USER(bytes <= room.bytes && place.offset <= room.bytes - bytes)
      << where << ": tensor '" << t.name << "' ends at byte " << place.offset + bytes << " of " << room.name
      << ", which has " << room.bytes;
}

void check_inner(const InnerTensor& inner, const isa::Program& program, const std::string& where) {
  const Tensor& t = inner.tensor;
  check_tensor(t);
  VDLA_CHECK_USER(!t.constant()) << where << ": inner tensor '" << t.name << "' has data, needs none";
  if (inner.window) check_data_window(t, *inner.window, where);
  const isa::Geometry& g = program.geometry;
  const Room inp{"buffer inp", std::uint64_t{g.depth(isa::Buffer::Inp)} * g.entry_bytes(isa::Buffer::Inp)};
  check_bytes(t, inner, inner.window ? window_of(*inner.window, program) : inp, where);
  const std::size_t layers = program.source_map.layers.size();
  for (const std::uint32_t layer : inner.layers)
    VDLA_CHECK_USER(layer < layers) << where << ": inner tensor '" << t.name << "' is of layer " << layer
                                    << ", the program has " << layers;
}

/// Walks the steps in order and knows which tensors have a value by then.
class Checker {
 public:
  /// `by_gpu`: what a GPU computes comes from there, and from its steps on the CPU otherwise.
  Checker(const Module& module, bool by_gpu)
      : module_(module), by_gpu_(by_gpu), written_(module.tensors.size()) {
    for (std::size_t i = 0; i < module.tensors.size(); ++i) written_[i] = module.tensors[i].constant();
  }

  void run() {
    isa::validate(module_.variant.geometry);
    isa::validate(module_.variant.timing);
    VDLA_CHECK_USER(!module_.outputs.empty()) << "'" << module_.model_name << "' has no outputs";
    for (const Tensor& t : module_.tensors) check_tensor(t);
    for (const Port& p : module_.inputs) {
      take_port(p, "input");
      VDLA_CHECK_USER(!tensor(p.tensor).constant() && !written_[p.tensor])
          << where_ << " writes tensor '" << tensor(p.tensor).name << "', which has a value already";
      written_[p.tensor] = true;
    }
    check_states(module_);
    for (const State& s : module_.states) written_[s.begin] = true;
    for (std::size_t i = 0; i < module_.steps.size(); ++i) {
      const GpuSegment* segment = by_gpu_ ? segment_of(module_, i) : nullptr;
      where_ = segment ? fmt::format("the GPU's segment at step {}", i) : fmt::format("step {}", i);
      if (segment) {
        take_segment(*segment);
        i = segment->end_step() - 1;
        continue;
      }
      std::visit(
          overloaded{[&](const DeviceStep& s) { check_step(s); }, [&](const HostStep& s) { check_step(s); }},
          module_.steps[i]);
    }
    check_alternatives();
    for (const Port& p : module_.outputs) {
      take_port(p, "output");
      need(p.tensor);
    }
    where_ = "the end of the run";
    for (const State& s : module_.states) need(s.end);
    const auto steps = static_cast<std::int64_t>(module_.steps.size());
    for (const NodeInfo& n : module_.nodes)
      VDLA_CHECK_USER(n.step >= -1 && n.step < steps)
          << "node '" << n.name << "' names step " << n.step << ", the module has " << steps;
  }

 private:
  void take_port(const Port& p, const char* kind) {
    where_ = fmt::format("{} '{}'", kind, p.name);
    check_port(p, tensor(p.tensor), where_);
  }

  const Tensor& tensor(TensorIndex index) const {
    VDLA_CHECK_USER(index < module_.tensors.size())
        << where_ << " names tensor " << index << ", the module has " << module_.tensors.size();
    return module_.tensors[index];
  }

  void need(TensorIndex index) const {
    const Tensor& t = tensor(index);
    VDLA_CHECK_USER(written_[index]) << where_ << " reads tensor '" << t.name
                                     << "' before anything writes it";
  }

  void write(TensorIndex index) {
    const Tensor& t = tensor(index);
    VDLA_CHECK_USER(!t.constant()) << where_ << " writes tensor '" << t.name << "', which is a constant";
    written_[index] = true;
  }

  void check_place(const DeviceTensor& d, const isa::Program& program) const {
    const Tensor& t = tensor(d.tensor);
    check_data_window(t, d.window, where_);
    VDLA_CHECK_USER(element_count(t.shape) > 0)
        << where_ << ": tensor '" << t.name << "' has shape " << to_string(t.shape)
        << ", no element at all, and programs of the device touch what lies in their windows";
    check_bytes(t, d, window_of(d.window, program), where_);
  }

  void check_step(const DeviceStep& step) {
    VDLA_CHECK_USER(step.program.geometry == module_.variant.geometry)
        << where_ << " has a program for another geometry than the module's variant '" << module_.variant.name
        << "'";
    check_program(step.program);
    for (std::size_t w = 0; w < step.places.size(); ++w) check_window(step, static_cast<isa::Window>(w));
    for (const DeviceTensor& d : step.inputs) {
      need(d.tensor);
      check_place(d, step.program);
    }
    for (const DeviceTensor& d : step.outputs) {
      write(d.tensor);
      check_place(d, step.program);
    }
    for (const InnerTensor& inner : step.inner) check_inner(inner, step.program, where_);
  }

  void check_window(const DeviceStep& step, isa::Window window) const {
    const WindowPlace& place = step.places[static_cast<std::size_t>(window)];
    VDLA_CHECK_USER(std::has_single_bit(place.alignment) && place.alignment <= kMostWindowAlignment)
        << where_ << ": window " << isa::to_string(window) << " is aligned to " << place.alignment
        << ", needs a power of two of at most " << kMostWindowAlignment;
    VDLA_CHECK_USER(place.address_bits >= 1 && place.address_bits <= 64 &&
                    holds(place, 0, step.program.window_size(window)))
        << where_ << ": window " << isa::to_string(window) << " of " << step.program.window_size(window)
        << " bytes lies at addresses of " << place.address_bits << " bits, needs 1 to 64 that hold it";
  }

  void check_program(const isa::Program& program) const {
    try {
      isa::check(program);
    } catch (const UserError& e) {
      throw UserError(where_ + ": " + e.what());
    }
  }

  /// Machine code and interpreter touch what the kernel declares, whatever the tensors are.
  void check_arguments(const HostStep& step) const {
    VDLA_CHECK_USER(step.arguments.size() == step.parameters.size())
        << where_ << " has " << step.arguments.size() << " arguments, its kernel takes "
        << step.parameters.size();
    for (std::size_t i = 0; i < step.arguments.size(); ++i) {
      const Tensor& t = tensor(step.arguments[i]);
      const KernelParameter& p = step.parameters[i];
      VDLA_CHECK_USER(t.type == p.type && t.bytes() == p.bytes)
          << where_ << ": its kernel takes " << p.bytes << " bytes of " << name_of(p.type) << " as argument "
          << i << ", tensor '" << t.name << "' has " << t.bytes() << " of " << name_of(t.type);
    }
  }

  void check_step(const HostStep& step) {
    where_ += " (kernel '" + step.kernel + "')";
    for (TensorIndex result : step.results) {
      const auto count = std::ranges::count(step.arguments, result);
      VDLA_CHECK_USER(count != 0) << where_ << " writes tensor " << result
                                  << ", which is not among its arguments";
      VDLA_CHECK_USER(count == 1)
          << where_ << " writes tensor " << result
          << ", which is its argument twice: machine code relies on places of their own";
    }
    check_arguments(step);
    for (TensorIndex argument : step.arguments)
      if (std::ranges::find(step.results, argument) == step.results.end()) need(argument);
    for (TensorIndex result : step.results) write(result);
  }

  /// Kernels that run in the place of a step's own touch what that does, beside constants of theirs.
  void check_alternatives() {
    std::size_t free = 0;
    for (const StepAlternatives& s : module_.alternatives) {
      where_ = fmt::format("the alternatives of step {}", s.step);
      VDLA_CHECK_USER(s.step < module_.steps.size() &&
                      std::holds_alternative<HostStep>(module_.steps[s.step]))
          << where_ << " are of no step of the CPU";
      VDLA_CHECK_USER(s.step >= free)
          << where_ << " stand behind those of step " << free - 1 << ", needs each step once, in order";
      VDLA_CHECK_USER(!s.others.empty()) << where_ << " are none, needs a kernel at least";
      VDLA_CHECK_USER(s.others.size() <= kMostOtherKernels)
          << where_ << " are " << s.others.size() << ", at most " << kMostOtherKernels << " are taken";
      free = s.step + 1;
      for (const Alternative& other : s.others)
        check_alternative(std::get<HostStep>(module_.steps[s.step]), other.step);
    }
  }

  void check_alternative(const HostStep& own, const HostStep& other) const {
    VDLA_CHECK_USER(own.results == other.results)
        << where_ << ": kernel '" << other.kernel << "' has other results than the step";
    check_arguments(other);
    for (const TensorIndex result : other.results)
      VDLA_CHECK_USER(std::ranges::count(other.arguments, result) == 1)
          << where_ << ": kernel '" << other.kernel << "' writes tensor " << result
          << ", which is not once among its arguments";
    for (const TensorIndex argument : other.arguments)
      VDLA_CHECK_USER(tensor(argument).constant() ||
                      std::ranges::find(own.arguments, argument) != own.arguments.end())
          << where_ << ": kernel '" << other.kernel << "' has tensor '" << tensor(argument).name
          << "', which the step has not";
  }

  /// Values inside of it are nowhere else.
  void take_segment(const GpuSegment& segment) {
    for (const GpuTensor& t : segment.inputs) need(t.tensor);
    for (const GpuTensor& t : segment.outputs) write(t.tensor);
  }

  const Module& module_;
  const bool by_gpu_;
  std::vector<bool> written_;
  std::string where_;
};

}  // namespace

void check(const Module& module) {
  Checker(module, false).run();
  if (module.gpu.empty()) return;
  check_gpu(module);
  Checker(module, true).run();
}

}  // namespace vdla::runtime
