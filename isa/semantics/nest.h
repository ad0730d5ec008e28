// SPDX-License-Identifier: Apache-2.0
// The iteration of gemm, vector, load and store as one place: which indices each step uses and in which
// order. Indices wrap modulo 2^16, DRAM offsets modulo 2^48.
#pragma once

#include <array>
#include <cstdint>

#include "isa/codec/insn.h"
#include "isa/spec/geometry.h"

namespace vdla::isa {

using Counters = std::array<std::uint16_t, kLevels>;

/// Calls f(counters) for every iteration of the five levels, level 4 fastest, until f returns false. Returns
/// whether f never did.
template <class Levels, class F>
bool for_each_iteration(const Levels& levels, F&& f) {
  Counters i{};
  while (true) {
    if (!f(static_cast<const Counters&>(i))) return false;
    unsigned level = kLevels;
    while (level > 0 && ++i[level - 1] == levels[level - 1].count) i[--level] = 0;
    if (level == 0) return true;
  }
}

/// Whether the counters of all levels in `mask` are zero.
constexpr bool at_start(const Counters& i, unsigned mask) {
  bool start = true;
  for (unsigned l = 0; l < kLevels; ++l) start = start && ((mask >> l & 1u) == 0 || i[l] == 0);
  return start;
}

struct GemmStep {
  std::uint16_t acc = 0;
  std::uint16_t inp = 0;
  std::uint16_t wgt = 0;
  bool first = false;
};

/// The step of micro-op number `u` (from 0) at these counters.
constexpr GemmStep gemm_step_at(const GemmInsn& insn, const Counters& i, unsigned u, const Uop& uop) {
  unsigned acc = insn.acc_base + uop.acc, inp = insn.inp_base + uop.inp, wgt = insn.wgt_base + uop.wgt;
  for (unsigned l = 0; l < kLevels; ++l) {
    acc += 1u * i[l] * insn.levels[l].acc_stride;
    inp += 1u * i[l] * insn.levels[l].inp_stride;
    wgt += 1u * i[l] * insn.levels[l].wgt_stride;
  }
  const bool uop_start = (insn.reduce_mask >> kReduceUopBit & 1u) == 0 || u == 0;
  return {static_cast<std::uint16_t>(acc), static_cast<std::uint16_t>(inp), static_cast<std::uint16_t>(wgt),
          insn.init && uop_start && at_start(i, insn.reduce_mask)};
}

struct VectorStep {
  std::uint16_t dst = 0;
  std::uint16_t a = 0;
  std::uint16_t b = 0;
  bool first = false;
};

constexpr VectorStep vector_step_at(const VectorInsn& insn, const Counters& i) {
  unsigned dst = insn.dst_base, a = insn.a_base, b = insn.b_base;
  for (unsigned l = 0; l < kLevels; ++l) {
    dst += 1u * i[l] * insn.levels[l].dst_stride;
    a += 1u * i[l] * insn.levels[l].a_stride;
    b += 1u * i[l] * insn.levels[l].b_stride;
  }
  return {static_cast<std::uint16_t>(dst), static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(b),
          insn.init && at_start(i, insn.reduce_mask)};
}

/// Bytes of one piece of a LOAD or STORE.
inline unsigned piece_bytes(const MemoryInsn& insn, const Geometry& g) {
  return insn.widen ? g.block_out : g.piece_bytes(insn.buffer);
}

/// One position of a LOAD or STORE: `run` pieces into (from) consecutive entries, all in the same row.
struct MemoryRun {
  std::uint16_t entry = 0;  ///< entry of piece 0; piece r is in entry + r
  std::uint16_t row = 0;
  bool pad = false;
  std::uint64_t offset = 0;  ///< byte in the window; meaningless when pad
};

/// Calls f(run) for every position, x fastest, until f returns false. Returns whether f never did.
template <class F>
bool for_each_run(const MemoryInsn& insn, const Geometry& g, F&& f) {
  const unsigned rows = g.rows(insn.buffer);
  for (unsigned z = 0; z < insn.z_count; ++z) {
    for (unsigned y = 0; y < insn.y_total(); ++y) {
      const unsigned row_entry = insn.sram_base + z * insn.z_sram_stride + y * insn.y_sram_stride;
      const bool y_pad = y < insn.y_pad_before || y >= 0u + insn.y_pad_before + insn.y_count;
      const std::uint64_t row_offset =
          insn.dram_offset + std::uint64_t{z} * insn.z_dram_stride +
          (y_pad ? 0 : std::uint64_t{y - insn.y_pad_before} * insn.y_dram_stride);
      for (unsigned x = 0; x < insn.x_total(); ++x) {
        MemoryRun run;
        run.entry = static_cast<std::uint16_t>(row_entry + x / rows * insn.run);
        run.row = static_cast<std::uint16_t>(x % rows);
        run.pad = y_pad || x < insn.x_pad_before || x >= 0u + insn.x_pad_before + insn.x_count;
        if (!run.pad)
          run.offset =
              (row_offset + std::uint64_t{x - insn.x_pad_before} * insn.x_dram_stride) & ((1ull << 48) - 1);
        if (!f(static_cast<const MemoryRun&>(run))) return false;
      }
    }
  }
  return true;
}

}  // namespace vdla::isa
