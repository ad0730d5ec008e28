// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/explain/insn_ranges.h"

namespace vdla::tools {

std::optional<InsnRange> insns_of(const runtime::Module& module, const runtime::NodeInfo& node) {
  if (node.step < 0) return std::nullopt;
  const auto* device =
      std::get_if<runtime::DeviceStep>(&module.steps.at(static_cast<std::size_t>(node.step)));
  if (device == nullptr) return std::nullopt;
  const isa::SourceMap& map = device->program.source_map;
  std::optional<InsnRange> range;
  for (std::uint32_t i = 0; i < map.insns.size(); ++i) {
    const isa::SourceLayer* layer = map.layer_of(i);
    if (layer == nullptr || layer->name != node.name) continue;
    if (!range) range = InsnRange{.first = i};
    range->last = i;
    ++range->count;
  }
  return range;
}

}  // namespace vdla::tools
