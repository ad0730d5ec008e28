// SPDX-License-Identifier: Apache-2.0
// One body for all hosts: inlined into a function per instruction set, where the compiler turns its loops
// over lanes into vector code.
#include "sim/functional/vector.h"

#include <array>

#include "isa/generated/operations.h"
#include "isa/semantics/execute.h"
#include "isa/spec/operations.h"
#include "sim/functional/range.h"
#include "support/fixed_point.h"

#define VDLA_INLINE __attribute__((always_inline)) inline

namespace vdla::sim {
namespace {

using isa::Buffer;
using isa::VectorB;
using isa::VectorInsn;
using isa::VectorOp;

/// Lanes worked on at once: the smaller of 16 and the output channels of an entry.
template <unsigned Lanes>
using Chunk = std::array<std::int32_t, Lanes>;

struct Buffers {
  std::int8_t* inp;
  std::int8_t* out;
  std::int32_t* acc;
  const std::int32_t* par;
  std::size_t lanes;  ///< per row
  std::size_t entry;  ///< lanes of an entry
  std::size_t block_in;
};

template <unsigned Lanes, class T>
VDLA_INLINE void widen(const T* from, Chunk<Lanes>& to) {
  for (unsigned i = 0; i < Lanes; ++i) to[i] = from[i];
}

template <isa::OperandA A, unsigned Lanes>
VDLA_INLINE void load_a(const VectorInsn& insn, const Buffers& m, std::size_t at, std::size_t row,
                        Chunk<Lanes>& x) {
  if constexpr (A == isa::OperandA::Row) {
    std::int32_t sum = 0;
    for (std::size_t k = 0; k < m.block_in; ++k) sum += m.inp[row * m.block_in + k];
    x.fill(sum);
  } else if (insn.a_buffer == Buffer::Acc) {
    widen<Lanes>(m.acc + at, x);
  } else {
    widen<Lanes>((insn.a_buffer == Buffer::Inp ? m.inp : m.out) + at, x);
  }
  for (unsigned i = 0; i < Lanes; ++i) x[i] = wrap_add(x[i], insn.a_offset);
}

/// Operand b where it is one number for a lane; `par` are the chunk's parameters.
template <VectorOp Op, unsigned Lanes>
VDLA_INLINE void load_b(const VectorInsn& insn, const std::int32_t* par, Chunk<Lanes>& p) {
  if (insn.b_kind == VectorB::Par)
    widen<Lanes>(par, p);
  else
    p.fill(insn.b_kind == VectorB::Imm ? insn.imm : isa::operation_of(Op).b.absent.value_or(0));
}

/// v = the value of a step for one chunk.
template <VectorOp Op, unsigned Lanes>
VDLA_INLINE void evaluate(const VectorInsn& insn, const std::int32_t* par, std::size_t lanes,
                          const Chunk<Lanes>& x, bool first, Chunk<Lanes>& v) {
  constexpr isa::OperandB kB = isa::operation_of(Op).b;
  constexpr bool kChoice = !kB.only();
  static_assert(kB.rows == 1 || kB.only() == VectorB::Par, "several rows are entries of par");
  Chunk<Lanes> p;
  if constexpr (kChoice) load_b<Op, Lanes>(insn, par, p);
  const auto b = [&](unsigned i) __attribute__((always_inline)) {
    isa::LaneB rows{};
    if constexpr (kChoice)
      rows[0] = p[i];
    else if constexpr (kB.only() == VectorB::Par)
      for (std::size_t r = 0; r < kB.rows; ++r) rows[r] = par[r * lanes + i];
    return rows;
  };
  if (!isa::row_of(Op).first.empty() && first && insn.b_kind != VectorB::None) {
    for (unsigned i = 0; i < Lanes; ++i) v[i] = isa::lane_first<Op>(insn, x[i], b(i));
  } else {
    for (unsigned i = 0; i < Lanes; ++i) v[i] = isa::lane_value<Op>(insn, x[i], b(i));
  }
}

template <unsigned Lanes>
VDLA_INLINE void store_result(const VectorInsn& insn, const Buffers& m, std::size_t at,
                              const Chunk<Lanes>& r) {
  if (insn.dst_buffer == Buffer::Acc) {
    for (unsigned i = 0; i < Lanes; ++i) m.acc[at + i] = r[i];
    return;
  }
  std::int8_t* to = (insn.dst_buffer == Buffer::Inp ? m.inp : m.out) + at;
  for (unsigned i = 0; i < Lanes; ++i) to[i] = isa::lane_int8(insn, r[i]);
}

template <VectorOp Op, unsigned Lanes>
VDLA_INLINE void run_step(const VectorInsn& insn, const Buffers& m, const isa::VectorStep& step) {
  for (std::size_t lane = 0; lane < m.entry; lane += Lanes) {
    const std::size_t at = step.dst * m.entry + lane;
    const std::size_t row = (step.a * m.entry + lane) / m.lanes;
    const std::int32_t* par = m.par + step.b * m.lanes + lane % m.lanes;
    constexpr isa::Operation kRow = isa::operation_of(Op);
    Chunk<Lanes> x, r;
    load_a<kRow.a, Lanes>(insn, m, step.a * m.entry + lane, row, x);
    evaluate<Op, Lanes>(insn, par, m.lanes, x, step.first, r);
    if (!step.first && kRow.combine != isa::Combine::Replace)
      for (unsigned i = 0; i < Lanes; ++i) r[i] = isa::combined(kRow.combine, m.acc[at + i], r[i]);
    store_result<Lanes>(insn, m, at, r);
  }
}

template <VectorOp Op, unsigned Lanes>
VDLA_INLINE void run_nest(const VectorInsn& insn, const Buffers& m) {
  const isa::VectorLevel& last = insn.levels[isa::kLevels - 1];
  const bool last_reduces = insn.reduce_mask >> (isa::kLevels - 1) & 1u;
  auto outer = insn.levels;
  outer[isa::kLevels - 1].count = 1;
  isa::Counters i{};
  while (true) {
    isa::VectorStep step = isa::vector_step_at(insn, i);
    const bool first = step.first;
    for (unsigned j = 0; j < last.count; ++j) {
      step.first = first && (!last_reduces || j == 0);
      run_step<Op, Lanes>(insn, m, step);
      step.dst = static_cast<std::uint16_t>(step.dst + last.dst_stride);
      step.a = static_cast<std::uint16_t>(step.a + last.a_stride);
      step.b = static_cast<std::uint16_t>(step.b + last.b_stride);
    }
    unsigned level = isa::kLevels;
    while (level > 0 && ++i[level - 1] == outer[level - 1].count) i[--level] = 0;
    if (level == 0) return;
  }
}

template <unsigned Lanes>
VDLA_INLINE void run_body(const VectorInsn& insn, const Buffers& m) {
  isa::with_operation(insn.op,
                      [&]<VectorOp Op>() __attribute__((always_inline)) { run_nest<Op, Lanes>(insn, m); });
}

template <unsigned Lanes>
void run_plain(const VectorInsn& insn, const Buffers& m) {
  run_body<Lanes>(insn, m);
}

#if defined(__x86_64__)
template <unsigned Lanes>
__attribute__((target("avx2"))) void run_avx2(const VectorInsn& insn, const Buffers& m) {
  run_body<Lanes>(insn, m);
}

template <unsigned Lanes>
__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))) void run_avx512(const VectorInsn& insn,
                                                                              const Buffers& m) {
  run_body<Lanes>(insn, m);
}
#endif

template <unsigned Lanes>
void run_lanes(const VectorInsn& insn, const Buffers& m, Simd simd) {
#if defined(__x86_64__)
  switch (simd) {
    case Simd::Plain:
      return run_plain<Lanes>(insn, m);
    case Simd::Avx2:
      return run_avx2<Lanes>(insn, m);
    case Simd::Vnni:
      return run_avx512<Lanes>(insn, m);
  }
#else
  static_cast<void>(simd);
  run_plain<Lanes>(insn, m);
#endif
}

bool all_inside(const VectorInsn& insn, const isa::Geometry& g) {
  const auto range = [&](std::uint16_t base, auto stride, unsigned more) {
    IndexRange r{base, std::int64_t{base} + more};
    for (const isa::VectorLevel& level : insn.levels) r.add(level.count, level.*stride);
    return r;
  };
  if (!range(insn.dst_base, &isa::VectorLevel::dst_stride, 0).inside(g.depth(insn.dst_buffer))) return false;
  if (!range(insn.a_base, &isa::VectorLevel::a_stride, 0).inside(g.depth(insn.a_buffer))) return false;
  const unsigned parameters = isa::par_entries(insn.op, insn.b_kind);
  return parameters == 0 ||
         range(insn.b_base, &isa::VectorLevel::b_stride, parameters - 1).inside(g.par_depth);
}

/// The reference: for indices that wrap or leave their buffer, and for a row sum that lands in the row it was
/// taken from.
std::optional<isa::Fault> scalar(const VectorInsn& insn, isa::Sram& sram) {
  std::optional<isa::Fault> fault;
  isa::for_each_iteration(insn.levels, [&](const isa::Counters& i) {
    fault = isa::execute_step(insn, isa::vector_step_at(insn, i), sram);
    return !fault;
  });
  return fault;
}

}  // namespace

std::optional<isa::Fault> run_vector(const VectorInsn& insn, isa::Sram& sram, Simd simd) {
  const isa::Geometry& g = sram.geometry;
  const bool sum_in_place =
      isa::operation_of(insn.op).a == isa::OperandA::Row && insn.dst_buffer == Buffer::Inp;
  if (sum_in_place || !all_inside(insn, g)) return scalar(insn, sram);
  const Buffers m{sram.inp.data(), sram.out.data(), sram.acc.data(),
                  sram.par.data(), g.block_out,     std::size_t{g.batch} * g.block_out,
                  g.block_in};
  VectorInsn wide = insn;
  if (insn.b_kind != VectorB::Par)  // an unused index must not lead outside of par
    for (isa::VectorLevel& level : wide.levels) level.b_stride = 0;
  if (insn.b_kind != VectorB::Par) wide.b_base = 0;
  if (g.block_out >= 16)
    run_lanes<16>(wide, m, simd);
  else if (g.block_out == 8)
    run_lanes<8>(wide, m, simd);
  else
    run_lanes<4>(wide, m, simd);
  return std::nullopt;
}

}  // namespace vdla::sim
