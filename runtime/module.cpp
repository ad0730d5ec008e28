// SPDX-License-Identifier: Apache-2.0
#include "runtime/module.h"

#include <algorithm>

namespace vdla::runtime {

bool needs_device(const Module& module) {
  return std::ranges::any_of(module.steps,
                             [](const Step& s) { return std::holds_alternative<DeviceStep>(s); });
}

const GpuSegment* segment_of(const Module& module, std::size_t step) {
  const auto found = std::ranges::find_if(
      module.gpu, [&](const GpuSegment& s) { return s.first_step <= step && step < s.end_step(); });
  return found == module.gpu.end() ? nullptr : &*found;
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
