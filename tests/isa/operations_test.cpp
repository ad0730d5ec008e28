// SPDX-License-Identifier: Apache-2.0
// The vector operations by an oracle of their own: what a step did when its meaning was written by hand,
// before it was generated from the rows of isa/spec/operations.h. A wrong row is wrong in engines and
// compiler alike; here it differs.
#include "isa/spec/operations.h"

#include <gtest/gtest.h>

#include <random>

#include "isa/codec/codec.h"
#include "isa/semantics/execute.h"
#include "support/fixed_point.h"

namespace vdla::isa {
namespace {

std::int32_t scale(std::int32_t x, std::int32_t bias, std::int32_t multiplier, std::int32_t shifts) {
  const auto left = static_cast<unsigned>(shifts) & 31u;
  const auto right = static_cast<unsigned>(shifts) >> 8 & 31u;
  return round_shift_right(srdh_mul(wrap_shift_left(wrap_add(x, bias), left), multiplier), right);
}

/// x is operand a + a_offset, p operand b, c = acc[dst].
std::int32_t by_hand(const VectorInsn& insn, std::int32_t x, std::array<std::int32_t, 3> par, std::int32_t c,
                     bool first) {
  const std::int32_t sum = first ? 0 : c;
  const bool has_p = insn.b_kind != VectorB::None;
  const std::int32_t p = insn.b_kind == VectorB::Par                             ? par[0]
                         : insn.b_kind == VectorB::Imm                           ? insn.imm
                         : insn.op == VectorOp::Mac || insn.op == VectorOp::Hsum ? 1
                                                                                 : 0;
  switch (insn.op) {
    case VectorOp::Scale:
      return wrap_add(sum, scale(x, par[0], par[1], par[2]));
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

class Points {
 public:
  /// The ends of the type, small numbers, powers of two, anything.
  std::int32_t number() {
    switch (random_() % 4) {
      case 0:
        return kEnds[random_() % kEnds.size()];
      case 1:
        return static_cast<std::int32_t>(random_() % 17) - 8;
      case 2:
        return static_cast<std::int32_t>(1u << random_() % 32) - static_cast<std::int32_t>(random_() % 2);
      default:
        return static_cast<std::int32_t>(random_());
    }
  }
  bool flag() { return random_() % 2 == 0; }
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }

 private:
  static constexpr std::array kEnds{INT32_MIN, INT32_MIN + 1, INT32_MAX, INT32_MAX - 1, 0, -1};
  std::mt19937 random_{44};
};

Geometry geometry() {
  Geometry g;
  g.batch = 2;
  g.block_in = g.block_out = 4;
  g.inp_depth = g.acc_depth = g.out_depth = g.par_depth = 8;
  return g;
}

/// One step of random operands into acc or out, each lane against the oracle.
void compare(VectorInsn insn, Sram& sram, Points& points) {
  for (auto* list : {&sram.acc, &sram.par})
    for (std::int32_t& v : *list) v = points.number();
  for (auto* list : {&sram.inp, &sram.out})
    for (std::int8_t& v : *list) v = static_cast<std::int8_t>(points.number());
  insn.imm = points.number();
  if (operation_of(insn.op).fields.contains("half")) insn.half = static_cast<std::uint16_t>(points.number());
  if (operation_of(insn.op).fields.contains("shift"))
    insn.shift = static_cast<std::uint8_t>(points.below(64));
  insn.a_offset = static_cast<std::int16_t>(points.flag() ? 0 : points.number());
  insn.out_zero = static_cast<std::int16_t>(points.number());
  insn.a_base = 1;
  insn.b_base = 2;
  insn.dst_base = 3;
  insn.init = insn.dst_buffer != Buffer::Acc || points.flag();
  ASSERT_EQ(find_broken_rule(insn, sram.geometry), nullptr) << find_broken_rule(insn, sram.geometry)->name;
  const Sram before = sram;
  ASSERT_EQ(execute_step(insn, {3, 1, 2, insn.init}, sram), std::nullopt);
  const Geometry& g = sram.geometry;
  for (unsigned b = 0; b < g.batch; ++b)
    for (unsigned n = 0; n < g.block_out; ++n) {
      const auto lane = [&](unsigned entry) { return (entry * g.batch + b) * g.block_out + n; };
      std::int32_t a = insn.a_buffer == Buffer::Acc   ? before.acc[lane(1)]
                       : insn.a_buffer == Buffer::Inp ? before.inp[lane(1)]
                                                      : before.out[lane(1)];
      if (insn.op == VectorOp::Hsum) {
        a = 0;
        for (unsigned k = 0; k < g.block_in; ++k) a += before.inp[(g.batch + b) * g.block_in + k];
      }
      const auto par = [&](unsigned row) { return before.par[(2 + row) * g.block_out + n]; };
      const std::int32_t r =
          by_hand(insn, wrap_add(a, insn.a_offset), {par(0), par(1), par(2)}, before.acc[lane(3)], insn.init);
      if (insn.dst_buffer == Buffer::Acc)
        ASSERT_EQ(sram.acc[lane(3)], r);
      else
        ASSERT_EQ(sram.out[lane(3)],
                  std::clamp<std::int32_t>(wrap_add(r, insn.out_zero), insn.clamp_min, insn.clamp_max));
    }
}

TEST(Operations, EveryRowMeansWhatWasWrittenByHand) {
  Sram sram(geometry());
  Points points;
  for (const Operation& row : kOperations)
    for (const NamedCode& b : kVectorBs) {
      VectorInsn insn;
      insn.op = row.op;
      insn.b_kind = static_cast<VectorB>(b.code);
      if (!row.b.takes(insn.b_kind)) continue;
      for (const Buffer a : {Buffer::Acc, Buffer::Inp, Buffer::Out}) {
        if (row.a == OperandA::Row && a != Buffer::Inp) continue;
        for (const Buffer dst : {Buffer::Acc, Buffer::Out}) {
          SCOPED_TRACE(std::string(row.text) + " " + std::string(b.text) + " " + std::string(to_string(a)));
          insn.a_buffer = a;
          insn.dst_buffer = dst;
          for (int i = 0; i < 1000; ++i) compare(insn, sram, points);
          if (HasFatalFailure()) return;
        }
      }
    }
}

/// Facts of the seven operations as they stood in the code that asked for them by name.
TEST(Operations, FactsAreTheOldOnes) {
  for (const Operation& row : kOperations) {
    SCOPED_TRACE(row.text);
    EXPECT_EQ(operation_of(row.op).text, row.text);
    EXPECT_EQ(row.b.rows, row.op == VectorOp::Scale ? 3u : 1u);
    EXPECT_EQ(row.a == OperandA::Row, row.op == VectorOp::Hsum);
    EXPECT_EQ(reads_accumulator(row.op, Buffer::Acc), row.op != VectorOp::Avg);
    EXPECT_FALSE(reads_accumulator(row.op, Buffer::Out));
    EXPECT_EQ(row.fields.contains("shift"), row.op == VectorOp::Avg);
  }
}

/// Indices are sums modulo 2^16: behind the last entry of the largest par comes the first.
TEST(Operations, ParametersWrap) {
  Geometry g = geometry();
  g.par_depth = kMaxDepth;
  Sram sram(g);
  const auto par = [&](unsigned entry) { return &sram.par[std::size_t{entry} * g.block_out]; };
  *par(kMaxDepth - 1) = 5;
  *par(0) = 1 << 30;
  *par(1) = pack_shifts(1, 0);
  sram.acc[0] = 70;
  VectorInsn insn;
  insn.op = VectorOp::Scale;
  insn.b_kind = VectorB::Par;
  ASSERT_EQ(execute_step(insn, {0, 0, kMaxDepth - 1, true}, sram), std::nullopt);
  EXPECT_EQ(sram.acc[0], 75);
}

/// Words that fuzzing makes have such codes, and no look at them may fail.
TEST(Operations, ACodeThatIsNoneHasFactsToo) {
  const auto none = static_cast<VectorOp>(kOperations.size());
  EXPECT_TRUE(to_string(none).empty());
  EXPECT_EQ(par_entries(none, VectorB::Par), 1u);
  EXPECT_TRUE(reads_accumulator(none, Buffer::Acc));
  int calls = 0;
  with_operation(none, [&]<VectorOp>() { ++calls; });
  EXPECT_EQ(calls, 0);
}

}  // namespace
}  // namespace vdla::isa
