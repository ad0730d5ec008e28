// SPDX-License-Identifier: Apache-2.0
// One step of gemm and of vector.
#include <algorithm>
#include <array>

#include "isa/semantics/execute.h"
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
  if (insn.b_kind != VectorB::Par) return std::nullopt;
  const unsigned parameters = insn.op == VectorOp::Scale ? 3 : 1;
  for (unsigned i = 0; i < parameters; ++i)
    if (auto fault = check_index(g, Buffer::Par, static_cast<std::uint16_t>(step.b + i))) return fault;
  return std::nullopt;
}

/// Operand a of lane (b, n).
std::int32_t operand_a(const VectorInsn& insn, unsigned entry, unsigned b, unsigned n, const Sram& sram) {
  const Geometry& g = sram.geometry;
  const std::size_t row = std::size_t{entry} * g.batch + b;
  if (insn.op == VectorOp::Hsum) {
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

std::int32_t operand_b(const VectorInsn& insn, unsigned entry, unsigned n, const Sram& sram) {
  switch (insn.b_kind) {
    case VectorB::Par:
      return sram.par[std::size_t{entry} * sram.geometry.block_out + n];
    case VectorB::Imm:
      return insn.imm;
    case VectorB::None:
      return insn.op == VectorOp::Mac || insn.op == VectorOp::Hsum ? 1 : 0;
  }
  return 0;
}

std::int32_t lane(const VectorInsn& insn, const VectorStep& step, unsigned b, unsigned n, const Sram& sram) {
  const unsigned lanes = sram.geometry.block_out;
  const std::int32_t x = wrap_add(operand_a(insn, step.a, b, n, sram), insn.a_offset);
  const std::int32_t c =
      step.first ? 0 : sram.acc[(std::size_t{step.dst} * sram.geometry.batch + b) * lanes + n];
  if (insn.op != VectorOp::Scale)
    return vector_element(insn, x, operand_b(insn, step.b, n, sram), c, step.first);
  const std::int32_t* par = &sram.par[std::size_t{step.b} * lanes + n];
  const std::int32_t v = scale_element(x, {par[0], par[lanes], par[std::size_t{2} * lanes]});
  return step.first ? v : wrap_add(c, v);
}

}  // namespace

std::int32_t scale_element(std::int32_t x, const ScaleParameters& p) {
  const auto left = static_cast<unsigned>(p.shifts) & 31u;
  const auto right = static_cast<unsigned>(p.shifts) >> 8 & 31u;
  return round_shift_right(srdh_mul(wrap_shift_left(wrap_add(x, p.bias), left), p.multiplier), right);
}

std::int32_t vector_element(const VectorInsn& insn, std::int32_t x, std::int32_t p, std::int32_t c,
                            bool first) {
  const std::int32_t sum = first ? 0 : c;
  const bool has_p = insn.b_kind != VectorB::None;
  switch (insn.op) {
    case VectorOp::Scale:
      break;  // has three parameters per lane: scale_element
    case VectorOp::Mac:
    case VectorOp::Hsum:
      return wrap_add(sum, wrap_mul(x, p));
    case VectorOp::Add:
      return wrap_add(wrap_add(sum, x), p);
    case VectorOp::Max:
      return first && !has_p ? x : std::max(first ? p : c, x);
    case VectorOp::Min:
      return first && !has_p ? x : std::min(first ? p : c, x);
    case VectorOp::Avg:
      return divide_by_reciprocal(x, insn.half, static_cast<std::uint32_t>(insn.imm), insn.shift);
  }
  return 0;
}

std::int8_t saturate_element(const VectorInsn& insn, std::int32_t r) {
  return static_cast<std::int8_t>(
      std::clamp<std::int32_t>(wrap_add(r, insn.out_zero), insn.clamp_min, insn.clamp_max));
}

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
    for (unsigned n = 0; n < g.block_out; ++n) results[n] = lane(insn, step, b, n, sram);
    const std::size_t row = (std::size_t{step.dst} * g.batch + b) * g.block_out;
    for (unsigned n = 0; n < g.block_out; ++n) {
      if (insn.dst_buffer == Buffer::Acc)
        sram.acc[row + n] = results[n];
      else
        (insn.dst_buffer == Buffer::Inp ? sram.inp : sram.out)[row + n] = saturate_element(insn, results[n]);
    }
  }
  return std::nullopt;
}

}  // namespace vdla::isa
