// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/gemm.h"

#include <algorithm>

#include "isa/codec/codec.h"
#include "isa/semantics/execute.h"
#include "sim/functional/range.h"
#include "support/fixed_point.h"

namespace vdla::sim {
namespace {

/// Steps in a block's table at most: it stays in the first-level cache.
constexpr unsigned kBlockSteps = 512;

/// The widest kernel whose lanes the geometry fills.
Simd usable(const isa::Geometry& g, Simd simd) {
  if (simd == Simd::Vnni && g.block_out % 16 != 0) simd = Simd::Avx2;
  if (simd == Simd::Avx2 && g.block_out % 8 != 0) simd = Simd::Plain;
  return simd;
}

std::int32_t signed_stride(std::uint16_t stride) { return static_cast<std::int16_t>(stride); }

/// The reference: for indices that wrap or leave their buffer.
std::optional<isa::Fault> scalar(const isa::GemmInsn& insn, isa::Sram& sram) {
  struct NoMemory final : isa::Memory {
    bool read(std::uint64_t, std::span<std::byte>) override { return false; }
    bool write(std::uint64_t, std::span<const std::byte>) override { return false; }
  } none;
  return isa::execute(insn, sram, {}, none);
}

/// Levels from here on are inside a block.
unsigned block_level(const isa::GemmInsn& insn) {
  unsigned level = isa::kLevels;
  std::uint64_t steps = insn.uop_count;
  while (level > 0 && steps * insn.levels[level - 1].count <= kBlockSteps)
    steps *= insn.levels[--level].count;
  return level;
}

}  // namespace

GemmKernel::GemmKernel(const isa::Geometry& g, Simd simd) : simd_(usable(g, simd)) {
  const std::size_t bytes = simd_ == Simd::Vnni   ? detail::packed_bytes_vnni(g)
                            : simd_ == Simd::Avx2 ? detail::packed_bytes_avx2(g)
                                                  : 0;
  if (bytes == 0) return;
  packed_.bytes.resize(bytes * g.wgt_depth);
  packed_.corrections.resize(std::size_t{g.wgt_depth} * g.block_out);
  packed_.valid.resize(g.wgt_depth);
  packed_.stale = g.wgt_depth;
  if (simd_ == Simd::Vnni) packed_.inp.resize(std::size_t{g.inp_depth} * g.batch * g.block_in);
}

void GemmKernel::weights_changed(unsigned first, unsigned count) {
  const std::size_t size = packed_.valid.size();
  for (unsigned i = 0; i < count && i < size; ++i)
    packed_.stale += std::exchange(packed_.valid[(first + i) % size], 0) != 0 ? 1 : 0;
}

std::optional<isa::Fault> GemmKernel::run(const isa::GemmInsn& insn, isa::Sram& sram) {
  uops_.resize(insn.uop_count);
  const unsigned begin = insn.uop_begin;
  if (begin + insn.uop_count > sram.uop.size()) return scalar(insn, sram);
  for (unsigned u = 0; u < insn.uop_count; ++u) uops_[u] = isa::decode_uop(sram.uop[begin + u]);
  const auto activations = activations_inside(insn, sram);
  if (!activations) return scalar(insn, sram);
  if (simd_ == Simd::Vnni) detail::flip_activations_vnni(*activations, sram, packed_);
  run_blocks(insn, sram);
  return std::nullopt;
}

std::optional<IndexRange> GemmKernel::activations_inside(const isa::GemmInsn& insn, const isa::Sram& sram) {
  const auto range = [&](std::uint16_t base, auto uop_field, auto stride) {
    const auto [low, high] = std::ranges::minmax(uops_, {}, uop_field);
    IndexRange r{base + low.*uop_field, base + high.*uop_field};
    for (const isa::GemmLevel& level : insn.levels) r.add(level.count, level.*stride);
    return r;
  };
  const isa::Geometry& g = sram.geometry;
  const IndexRange inp = range(insn.inp_base, &isa::Uop::inp, &isa::GemmLevel::inp_stride);
  const bool inside = range(insn.acc_base, &isa::Uop::acc, &isa::GemmLevel::acc_stride).inside(g.acc_depth) &&
                      inp.inside(g.inp_depth) &&
                      range(insn.wgt_base, &isa::Uop::wgt, &isa::GemmLevel::wgt_stride).inside(g.wgt_depth);
  return inside ? std::optional(inp) : std::nullopt;
}

/// The steps of levels [split, end), as they follow each other.
void GemmKernel::find_steps(const isa::GemmInsn& insn, unsigned split) {
  const bool uops_reduce = insn.reduce_mask >> isa::kReduceUopBit & 1u;
  steps_.clear();
  auto inner = insn.levels;
  for (unsigned l = 0; l < split; ++l) inner[l].count = 1;
  isa::for_each_iteration(inner, [&](const isa::Counters& i) {
    std::int32_t acc = 0, inp = 0, wgt = 0;
    for (unsigned l = split; l < isa::kLevels; ++l) {
      acc += i[l] * signed_stride(insn.levels[l].acc_stride);
      inp += i[l] * signed_stride(insn.levels[l].inp_stride);
      wgt += i[l] * signed_stride(insn.levels[l].wgt_stride);
    }
    const bool reset = isa::at_start(i, insn.reduce_mask);
    for (unsigned u = 0; u < insn.uop_count; ++u)
      steps_.push_back(
          {acc + uops_[u].acc, inp + uops_[u].inp, wgt + uops_[u].wgt, reset && (!uops_reduce || u == 0)});
    return true;
  });
}

void GemmKernel::find_runs() {
  runs_.clear();
  const auto count = static_cast<std::uint32_t>(steps_.size());
  for (std::uint32_t begin = 0, end = 0; begin < count; begin = end) {
    const auto extend = [&](auto field) {
      while (end < count && steps_[end].*field == steps_[begin].*field) ++end;
    };
    end = begin + 1;
    extend(&GemmOffset::wgt);
    const bool one_weight = end > begin + 1;
    if (!one_weight) extend(&GemmOffset::acc);
    runs_.push_back({begin, end, one_weight});
  }
}

void GemmKernel::run_blocks(const isa::GemmInsn& insn, isa::Sram& sram) {
  const unsigned split = block_level(insn);
  find_steps(insn, split);
  find_runs();
  auto outer = insn.levels;
  for (unsigned l = split; l < isa::kLevels; ++l) outer[l].count = 1;
  isa::for_each_iteration(outer, [&](const isa::Counters& i) {
    GemmBlock block{steps_,        runs_,         insn.acc_base,
                    insn.inp_base, insn.wgt_base, insn.init && isa::at_start(i, insn.reduce_mask)};
    for (unsigned l = 0; l < split; ++l) {
      block.acc += i[l] * signed_stride(insn.levels[l].acc_stride);
      block.inp += i[l] * signed_stride(insn.levels[l].inp_stride);
      block.wgt += i[l] * signed_stride(insn.levels[l].wgt_stride);
    }
    run_block(block, sram);
    return true;
  });
}

void GemmKernel::run_block(const GemmBlock& block, isa::Sram& sram) {
  switch (simd_) {
    case Simd::Plain:
      return detail::run_block_plain(block, sram);
    case Simd::Avx2:
      return detail::run_block_avx2(block, sram, packed_);
    case Simd::Vnni:
      return detail::run_block_vnni(block, sram, packed_);
  }
}

void detail::run_block_plain(const GemmBlock& block, isa::Sram& sram) {
  const isa::Geometry& g = sram.geometry;
  for (const GemmOffset& s : block.steps) {
    const bool first = block.init && s.reset;
    const std::int8_t* wgt = &sram.wgt[std::size_t(block.wgt + s.wgt) * g.block_out * g.block_in];
    for (unsigned b = 0; b < g.batch; ++b) {
      const std::int8_t* inp = &sram.inp[(std::size_t(block.inp + s.inp) * g.batch + b) * g.block_in];
      std::int32_t* acc = &sram.acc[(std::size_t(block.acc + s.acc) * g.batch + b) * g.block_out];
      for (unsigned n = 0; n < g.block_out; ++n) {
        std::int32_t sum = 0;
        for (unsigned k = 0; k < g.block_in; ++k) sum += inp[k] * wgt[n * g.block_in + k];
        acc[n] = wrap_add(first ? 0 : acc[n], sum);
      }
    }
  }
}

}  // namespace vdla::sim
