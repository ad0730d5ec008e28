// SPDX-License-Identifier: Apache-2.0
// Random gemm and vector instructions.
#include <algorithm>

#include "isa/random/shapes.h"
#include "isa/spec/operations.h"

namespace vdla::isa {
namespace {

/// Counts with a product of at most `limit`.
template <class Levels>
void draw_counts(ShapeContext& c, Levels& levels, std::int64_t limit) {
  for (auto& level : levels) {
    level.count = u16(c.draw.one_in(2) ? 1 : c.draw.skewed(1, std::min<std::int64_t>(limit, 24)));
    limit /= level.count;
  }
}

/// Base and strides of one operand so that base + [0, reach] + strides stay in the region; some strides are
/// zero, some negative.
template <class Levels, class Stride>
std::uint16_t draw_walk(ShapeContext& c, const Region& region, std::int64_t reach, Levels& levels,
                        Stride stride) {
  std::int64_t room = region.size - 1 - reach, back = 0;
  for (unsigned n = 0; n < kLevels; ++n) {
    auto& level = levels[c.draw.one_in(2) ? n : kLevels - 1 - n];
    if (level.*stride != 0 || c.draw.one_in(4)) continue;
    const std::int64_t most = level.count > 1 ? room / (level.count - 1) : 0xffff;
    if (most == 0) continue;
    const std::int64_t step = level.count > 1 ? c.draw.skewed(1, most) : c.draw.between(0, most);
    const bool negative = c.draw.one_in(6);
    level.*stride = u16(negative ? -step : step);
    room -= step * (level.count - 1);
    if (negative) back += step * (level.count - 1);
  }
  return u16(region.begin + back + c.draw.between(0, room));
}

/// Highest micro-op offsets of a range.
Uop highest(const ShapeContext& c, unsigned begin, unsigned count) {
  Uop high;
  for (unsigned u = begin; u < begin + count; ++u) {
    high.acc = std::max(high.acc, c.uop_sram[u].acc);
    high.inp = std::max(high.inp, c.uop_sram[u].inp);
    high.wgt = std::max(high.wgt, c.uop_sram[u].wgt);
  }
  return high;
}

void draw_operand_b(ShapeContext& c, VectorInsn& i) {
  const Operation& row = operation_of(i.op);
  const auto any = [&] { return static_cast<VectorB>(c.draw.between(0, std::ssize(kVectorBs) - 1)); };
  i.b_kind = row.b.only() ? *row.b.only() : any();
  while (!row.b.takes(i.b_kind)) i.b_kind = any();
  if (i.b_kind == VectorB::Par)
    i.b_base = draw_walk(c, c.region(Buffer::Par), row.b.rows - 1, i.levels, &VectorLevel::b_stride);
  if (i.b_kind == VectorB::Imm || row.fields.contains("imm"))
    i.imm = static_cast<std::int32_t>(c.draw.bits() >> c.draw.between(0, 31));
  if (row.fields.contains("shift")) i.shift = static_cast<std::uint8_t>(c.draw.between(0, 63));
  if (row.fields.contains("half")) i.half = u16(c.draw.skewed(0, 65535));
}

void draw_buffers(ShapeContext& c, VectorInsn& i) {
  constexpr Buffer kSquare[] = {Buffer::Acc, Buffer::Acc, Buffer::Out, Buffer::Inp};
  constexpr Buffer kOblong[] = {Buffer::Acc, Buffer::Acc, Buffer::Out, Buffer::Out};
  const bool square = c.geometry.block_in == c.geometry.block_out;
  i.dst_buffer = square ? c.draw.pick(kSquare) : c.draw.pick(kOblong);
  i.a_buffer = operation_of(i.op).a == OperandA::Row ? Buffer::Inp
               : square                              ? c.draw.pick(kSquare)
                                                     : c.draw.pick(kOblong);
}

}  // namespace

VectorInsn whole_acc(ShapeContext& c) {
  VectorInsn i;
  const Region &acc = c.region(Buffer::Acc), &out = c.region(Buffer::Out);
  i.op = operation_named("mac");
  i.a_buffer = Buffer::Out;
  i.b_kind = VectorB::Imm;
  i.imm = static_cast<std::int32_t>(c.draw.bits());
  i.dst_base = u16(acc.begin);
  i.a_base = u16(out.begin);
  i.levels[4] = {u16(acc.size), 1, 0, 0};
  return i;
}

GemmInsn random_gemm(ShapeContext& c) {
  GemmInsn i;
  const Region& uops = c.region(Buffer::Uop);
  i.uop_count = u16(c.draw.skewed(1, std::min<std::int64_t>(uops.size, 12)));
  i.uop_begin = u16(uops.begin + c.draw.between(0, uops.size - i.uop_count));
  draw_counts(c, i.levels, std::max<std::int64_t>(1, c.options.max_steps / i.uop_count));
  const Uop high = highest(c, i.uop_begin, i.uop_count);
  i.acc_base = draw_walk(c, c.region(Buffer::Acc), high.acc, i.levels, &GemmLevel::acc_stride);
  i.inp_base = draw_walk(c, c.region(Buffer::Inp), high.inp, i.levels, &GemmLevel::inp_stride);
  i.wgt_base = draw_walk(c, c.region(Buffer::Wgt), high.wgt, i.levels, &GemmLevel::wgt_stride);
  i.init = c.draw.one_in(2);
  i.reduce_mask = static_cast<std::uint8_t>(c.draw.one_in(4) ? 0 : c.draw.bits() & 63);
  return i;
}

VectorInsn random_vector(ShapeContext& c) {
  VectorInsn i;
  i.op = static_cast<VectorOp>(c.draw.between(0, static_cast<std::int64_t>(kVectorOps.size()) - 1));
  draw_buffers(c, i);
  draw_counts(c, i.levels, c.options.max_steps);
  draw_operand_b(c, i);
  i.dst_base = draw_walk(c, c.region(i.dst_buffer), 0, i.levels, &VectorLevel::dst_stride);
  i.a_base = draw_walk(c, c.region(i.a_buffer), 0, i.levels, &VectorLevel::a_stride);
  i.a_offset = static_cast<std::int16_t>(c.draw.one_in(2) ? 0 : c.draw.bits() >> c.draw.between(0, 8));
  if (i.dst_buffer == Buffer::Acc) {
    i.init = c.draw.one_in(2);
    i.reduce_mask = static_cast<std::uint8_t>(c.draw.one_in(3) ? 0 : c.draw.bits() & 31);
    return i;
  }
  i.out_zero = static_cast<std::int16_t>(c.draw.one_in(8) ? c.draw.bits() : c.draw.between(-128, 127));
  i.clamp_min = static_cast<std::int8_t>(c.draw.skewed(-128, 127));
  i.clamp_max = static_cast<std::int8_t>(c.draw.between(i.clamp_min, 127));
  return i;
}

}  // namespace vdla::isa
