// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/explain/insn_ranges.h"

namespace vdla::tools {

InsnRanges insn_ranges(const runtime::Module& module) {
  InsnRanges ranges;
  for (std::size_t step = 0; step < module.steps.size(); ++step) {
    const auto* device = std::get_if<runtime::DeviceStep>(&module.steps[step]);
    if (device == nullptr) continue;
    const isa::SourceMap& map = device->program.source_map;
    for (std::uint32_t i = 0; i < map.insns.size(); ++i) {
      const isa::SourceLayer* layer = map.layer_of(i);
      if (layer == nullptr) continue;
      InsnRange& range =
          ranges.try_emplace({static_cast<std::int32_t>(step), layer->name}, InsnRange{i}).first->second;
      range.last = i;
      ++range.count;
    }
  }
  return ranges;
}

}  // namespace vdla::tools
