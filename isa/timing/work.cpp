// SPDX-License-Identifier: Apache-2.0
#include "isa/timing/work.h"

#include "support/overloaded.h"

namespace vdla::isa {
namespace {

template <class Levels>
std::uint64_t iterations(const Levels& levels) {
  std::uint64_t total = 1;
  for (const auto& level : levels) total *= level.count;
  return total;
}

}  // namespace

std::uint64_t steps_of(const Insn& insn) {
  return std::visit(overloaded{
                        [](const GemmInsn& i) { return iterations(i.levels) * i.uop_count; },
                        [](const VectorInsn& i) { return iterations(i.levels); },
                        [](const auto&) { return std::uint64_t{0}; },
                    },
                    insn);
}

std::uint64_t macs_of(const Insn& insn, const Geometry& geometry) {
  return std::holds_alternative<GemmInsn>(insn) ? steps_of(insn) * geometry.macs() : 0;
}

unsigned piece_bytes_of(const MemoryInsn& insn, const Geometry& geometry) {
  return insn.widen ? geometry.block_out : geometry.piece_bytes(insn.buffer);
}

Stretches stretches_of(const MemoryInsn& insn, const Geometry& geometry) {
  Stretches s;
  if (insn.x_count == 0 || insn.y_count == 0) {  // a pure fill
    s.counts[0] = 0;
    return s;
  }
  s.bytes = std::uint64_t{insn.run} * piece_bytes_of(insn, geometry);
  const std::uint64_t counts[3] = {insn.z_count, insn.y_count, insn.x_count};
  const std::uint64_t strides[3] = {insn.z_dram_stride, insn.y_dram_stride, insn.x_dram_stride};
  bool joined = true;
  for (int level = 2; level >= 0; --level) {
    joined = joined && (counts[level] == 1 || strides[level] == s.bytes);
    if (joined) {
      s.bytes *= counts[level];
    } else {
      s.counts[level] = counts[level];
      s.strides[level] = strides[level];
    }
  }
  return s;
}

MoveWork move_work(const MemoryInsn& insn, const Geometry& geometry, const Timing& timing,
                   std::uint64_t window_base) {
  MoveWork work;
  const std::uint64_t read = std::uint64_t{insn.x_count} * insn.y_count * insn.z_count;
  const std::uint64_t all = std::uint64_t{insn.x_total()} * insn.y_total() * insn.z_count;
  work.pieces = read * insn.run;
  work.pad_pieces = (all - read) * insn.run;
  work.bytes = work.pieces * piece_bytes_of(insn, geometry);
  const Stretches stretches = stretches_of(insn, geometry);
  for_each_stretch(insn, stretches, [&](std::uint64_t offset, std::uint64_t bytes_joined) {
    for_each_burst(window_base + offset, bytes_joined, timing.dram_burst_bytes,
                   [&](std::uint64_t address, unsigned bytes) {
                     ++work.bursts;
                     work.beats += beats_of(address, bytes, timing.dram_bytes_per_cycle);
                   });
  });
  return work;
}

}  // namespace vdla::isa
