// SPDX-License-Identifier: Apache-2.0
#include "runtime/module/module.h"

#include <algorithm>
#include <cstdint>

#include "support/overloaded.h"

namespace vdla::runtime {
namespace {

template <class Use>
void for_each_tensor(const Step& step, const Use& use) {
  std::visit(overloaded{[&](const DeviceStep& s) {
                          for (const DeviceTensor& d : s.inputs) use(d.tensor);
                          for (const DeviceTensor& d : s.outputs) use(d.tensor);
                        },
                        [&](const HostStep& s) {
                          for (const TensorIndex t : s.arguments) use(t);
                        }},
             step);
}

}  // namespace

bool needs_device(const Module& module) {
  return std::ranges::any_of(module.steps,
                             [](const Step& s) { return std::holds_alternative<DeviceStep>(s); });
}

const GpuSegment* segment_of(const Module& module, std::size_t step) {
  const auto found = std::ranges::find_if(
      module.gpu, [&](const GpuSegment& s) { return s.first_step <= step && step < s.end_step(); });
  return found == module.gpu.end() ? nullptr : &*found;
}

std::vector<std::size_t> segments_needed_at(const Module& module) {
  std::vector<std::size_t> needed(module.gpu.size());
  std::vector<std::size_t> next(module.tensors.size(), SIZE_MAX);  // step that names the tensor next
  for (const Port& port : module.outputs) next[port.tensor] = module.steps.size();
  std::size_t i = module.steps.size();
  for (std::size_t s = module.gpu.size(); s-- > 0;) {
    const GpuSegment& segment = module.gpu[s];
    for (; i > segment.end_step(); --i)
      for_each_tensor(module.steps[i - 1], [&](TensorIndex t) { next[t] = i - 1; });
    needed[s] = module.steps.size();
    for (const GpuTensor& t : segment.outputs)
      needed[s] = std::min(needed[s], next[t.tensor] == SIZE_MAX ? segment.end_step() : next[t.tensor]);
    // All that a segment reads is there when it begins.
    for (; i > segment.first_step; --i)
      for_each_tensor(module.steps[i - 1], [&](TensorIndex t) { next[t] = segment.first_step; });
  }
  return needed;
}

double ideal_gemm_cycles(const NodeInfo& node, const isa::Geometry& geometry) {
  return static_cast<double>(node.macs) / geometry.macs();
}

const NodeInfo* main_node(const Module& module, std::size_t step) {
  const NodeInfo* found = nullptr;
  for (const NodeInfo& node : module.nodes)
    if (node.step == static_cast<std::int32_t>(step) && (found == nullptr || node.macs >= found->macs))
      found = &node;
  return found;
}

}  // namespace vdla::runtime
