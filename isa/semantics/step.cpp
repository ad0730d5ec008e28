// SPDX-License-Identifier: Apache-2.0
// One step of gemm and of vector; what a lane of vector computes is generated from the rows of the
// operations.
#include <array>

#include "isa/generated/operations.h"
#include "isa/semantics/execute.h"
#include "isa/spec/errors.h"
#include "isa/spec/operations.h"
#include "support/fixed_point.h"

namespace vdla::isa {
namespace {

std::optional<Fault> check_index(const Geometry& g, Buffer buffer, unsigned index) {
  if (index < g.depth(buffer)) return std::nullopt;
  return Fault{ErrorCode::SramBounds, index};
}

std::optional<Fault> check_step(const VectorInsn& insn, const VectorStep& step, const Geometry& g) {
  if (auto fault = check_index(g, insn.dst_buffer, step.dst)) return fault;
  if (auto fault = check_index(g, insn.a_buffer, step.a)) return fault;
  for (unsigned i = 0; i < par_entries(insn.op, insn.b_kind); ++i)
    if (auto fault = check_index(g, Buffer::Par, static_cast<std::uint16_t>(step.b + i))) return fault;
  return std::nullopt;
}

/// Operand a of lane (b, n).
template <OperandA A>
std::int32_t operand_a(const VectorInsn& insn, unsigned entry, unsigned b, unsigned n, const Sram& sram) {
  const Geometry& g = sram.geometry;
  const std::size_t row = std::size_t{entry} * g.batch + b;
  if constexpr (A == OperandA::Row) {
    std::int32_t sum = 0;
    for (unsigned k = 0; k < g.block_in; ++k) sum += sram.inp[row * g.block_in + k];
    return sum;
  }
  switch (insn.a_buffer) {
    case Buffer::Acc:
      return sram.acc[row * g.block_out + n];
    case Buffer::Inp:
      return sram.inp[row * g.block_in + n];
    default:
      return sram.out[row * g.block_out + n];
  }
}

LaneB operand_b(const VectorInsn& insn, unsigned entry, unsigned n, const Sram& sram) {
  LaneB p{};
  for (unsigned r = 0; r < par_entries(insn.op, insn.b_kind); ++r)
    p[r] = sram.par[std::size_t{static_cast<std::uint16_t>(entry + r)} * sram.geometry.block_out + n];
  if (insn.b_kind == VectorB::Imm) p[0] = insn.imm;
  if (insn.b_kind == VectorB::None) p[0] = operation_of(insn.op).b.absent.value_or(0);
  return p;
}

template <VectorOp Op>
std::int32_t lane(const VectorInsn& insn, const VectorStep& step, unsigned b, unsigned n, const Sram& sram) {
  constexpr Operation kRow = operation_of(Op);
  const std::int32_t x = wrap_add(operand_a<kRow.a>(insn, step.a, b, n, sram), insn.a_offset);
  const LaneB p = operand_b(insn, step.b, n, sram);
  if (step.first && insn.b_kind != VectorB::None) return lane_first<Op>(insn, x, p);
  const std::int32_t value = lane_value<Op>(insn, x, p);
  if (step.first) return value;
  const std::size_t row = std::size_t{step.dst} * sram.geometry.batch + b;
  return combined(kRow.combine, sram.acc[row * sram.geometry.block_out + n], value);
}

}  // namespace

std::optional<Fault> execute_step(const GemmStep& step, Sram& sram) {
  const Geometry& g = sram.geometry;
  if (auto fault = check_index(g, Buffer::Acc, step.acc)) return fault;
  if (auto fault = check_index(g, Buffer::Inp, step.inp)) return fault;
  if (auto fault = check_index(g, Buffer::Wgt, step.wgt)) return fault;
  for (unsigned b = 0; b < g.batch; ++b) {
    const std::int8_t* inp = &sram.inp[(std::size_t{step.inp} * g.batch + b) * g.block_in];
    std::int32_t* acc = &sram.acc[(std::size_t{step.acc} * g.batch + b) * g.block_out];
    for (unsigned n = 0; n < g.block_out; ++n) {
      const std::int8_t* wgt = &sram.wgt[(std::size_t{step.wgt} * g.block_out + n) * g.block_in];
      std::int32_t sum = 0;
      for (unsigned k = 0; k < g.block_in; ++k) sum += inp[k] * wgt[k];
      acc[n] = wrap_add(step.first ? 0 : acc[n], sum);
    }
  }
  return std::nullopt;
}

std::optional<Fault> execute_step(const VectorInsn& insn, const VectorStep& step, Sram& sram) {
  const Geometry& g = sram.geometry;
  if (auto fault = check_step(insn, step, g)) return fault;
  std::array<std::int32_t, kMaxBlock> results;
  for (unsigned b = 0; b < g.batch; ++b) {
    // A row is read as a whole before it is written: hsum may write where it reads.
    with_operation(insn.op, [&]<VectorOp Op>() {
      for (unsigned n = 0; n < g.block_out; ++n) results[n] = lane<Op>(insn, step, b, n, sram);
    });
    const std::size_t row = (std::size_t{step.dst} * g.batch + b) * g.block_out;
    for (unsigned n = 0; n < g.block_out; ++n) {
      if (insn.dst_buffer == Buffer::Acc)
        sram.acc[row + n] = results[n];
      else
        (insn.dst_buffer == Buffer::Inp ? sram.inp : sram.out)[row + n] = lane_int8(insn, results[n]);
    }
  }
  return std::nullopt;
}

}  // namespace vdla::isa
