// SPDX-License-Identifier: Apache-2.0
#include "tools/explore/memory_map.h"

#include <algorithm>

#include "isa/timing/work.h"

namespace vdla::explore {
namespace {

/// Last of `count` positions from `base`; a stride above 2^15 steps backwards.
std::uint64_t reach(unsigned count, std::uint16_t stride) {
  const auto step = static_cast<std::int16_t>(stride);
  return step > 0 && count > 0 ? std::uint64_t{count - 1} * static_cast<unsigned>(step) : 0;
}

void touch(LayerMemory& layer, isa::Buffer buffer, std::uint64_t last) {
  auto& entries = layer.entries[static_cast<std::size_t>(buffer)];
  entries = std::max(entries, last + 1);
}

void add(LayerMemory& layer, const isa::MemoryInsn& i, const isa::Geometry& g) {
  const unsigned rows = g.rows(i.buffer);
  touch(layer, i.buffer,
        i.sram_base + reach(i.z_count, i.z_sram_stride) + reach(i.y_total(), i.y_sram_stride) +
            std::uint64_t{(i.x_total() - 1) / rows} * i.run + i.run - 1);
  const isa::Stretches s = isa::stretches_of(i, g);
  if (s.number() == 0) return;
  std::uint64_t last = i.dram_offset;
  for (int level = 0; level < 3; ++level) last += (s.counts[level] - 1) * s.strides[level];
  auto& ranges = i.opcode == isa::Opcode::Load ? layer.read : layer.written;
  ranges[static_cast<std::size_t>(i.window)].include(i.dram_offset, last + s.bytes);
}

void add(LayerMemory& layer, const isa::VectorInsn& i) {
  std::uint64_t dst = i.dst_base, a = i.a_base;
  for (const isa::VectorLevel& level : i.levels) {
    dst += reach(level.count, level.dst_stride);
    a += reach(level.count, level.a_stride);
  }
  touch(layer, i.dst_buffer, dst);
  touch(layer, i.a_buffer, a);
}

}  // namespace

void Range::include(std::uint64_t from, std::uint64_t to) {
  begin = begin == end ? from : std::min(begin, from);
  end = std::max(end, to);
}

std::vector<LayerMemory> memory_of_layers(const isa::Program& program) {
  const isa::SourceMap& map = program.source_map;
  std::vector<LayerMemory> layers(map.layers.size());
  for (std::size_t i = 0; i < map.insns.size(); ++i) {
    const std::uint32_t number = map.insns[i].layer;
    if (number >= layers.size()) continue;
    if (const auto* move = std::get_if<isa::MemoryInsn>(&program.insns[i])) {
      add(layers[number], *move, program.geometry);
    } else if (const auto* vector = std::get_if<isa::VectorInsn>(&program.insns[i])) {
      add(layers[number], *vector);
    }
  }
  return layers;
}

}  // namespace vdla::explore
