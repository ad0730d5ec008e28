// SPDX-License-Identifier: Apache-2.0
// Many cycles of the vector unit that pass at once must be those that pass one by one.
#include <gtest/gtest.h>

#include <random>

#include "isa/codec/codec.h"
#include "isa/spec/operations.h"
#include "isa/variants/variants.h"
#include "sim/cycle/vector_timeline.h"

namespace vdla::sim {
namespace {

class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}
  unsigned below(unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(random_); }
  bool one_in(unsigned n) { return below(n) == 0; }

 private:
  std::mt19937 random_;
};

isa::VectorInsn draw_insn(Draw& draw, unsigned acc_depth) {
  isa::VectorInsn insn;
  insn.op = draw.one_in(2) ? isa::VectorOp::Scale : isa::VectorOp::Add;
  insn.init = draw.one_in(2);
  constexpr isa::Buffer kBuffers[] = {isa::Buffer::Acc, isa::Buffer::Inp, isa::Buffer::Out};
  insn.dst_buffer = kBuffers[draw.below(3)];
  insn.a_buffer = kBuffers[draw.below(3)];
  insn.dst_base = static_cast<std::uint16_t>(draw.below(acc_depth));
  insn.a_base = static_cast<std::uint16_t>(draw.below(acc_depth));
  for (isa::VectorLevel& level : insn.levels) {
    if (draw.one_in(2)) continue;
    level.count = static_cast<std::uint16_t>(1 + draw.below(12));
    level.dst_stride = static_cast<std::uint16_t>(draw.below(2));
    level.a_stride = static_cast<std::uint16_t>(draw.below(2));
    level.b_stride = draw.one_in(4) ? 3 : 0;
  }
  return insn;
}

PortUse draw_ports(Draw& draw, const isa::Sram& sram) {
  PortUse ports;
  PortUse::Cycle at = 1;
  for (unsigned i = 0; i < 6; ++i) {
    isa::GemmInsn gemm;
    gemm.init = draw.one_in(2);
    gemm.acc_base = static_cast<std::uint16_t>(draw.below(sram.geometry.acc_depth));
    gemm.uop_count = static_cast<std::uint16_t>(1 + draw.below(4));
    gemm.levels[4] = {static_cast<std::uint16_t>(1 + draw.below(60)), 1, 1, 0};
    at += draw.below(300);
    GemmSteps steps(gemm, sram, at);
    at = steps.end();
    ports.add(std::move(steps));
  }
  for (const isa::Buffer buffer : {isa::Buffer::Inp, isa::Buffer::Out}) {
    at = 1;
    for (unsigned i = 0; i < 8; ++i) {
      at += draw.below(200);
      const unsigned many = 1 + draw.below(20);
      ports.add_load(buffer, at, at + many);
      at += many + 1;
    }
  }
  at = 1;
  for (unsigned i = 0; i < 40; ++i) ports.add_store(at += 1 + draw.below(60));
  return ports;
}

TEST(VectorTimeline, ManyCyclesAtOnceAreThoseOneByOne) {
  isa::Sram sram(isa::load_variant("tiny").geometry);
  std::uint64_t held_back = 0;
  for (unsigned seed = 1; seed <= 400; ++seed) {
    Draw draw(seed);
    for (auto& uop : sram.uop)
      uop = isa::encode_uop({.acc = static_cast<std::uint16_t>(draw.below(2) * sram.geometry.acc_depth / 2)});
    const PortUse ports = draw_ports(draw, sram);
    std::array<VectorTimeline, 2> timelines{VectorTimeline(sram.geometry.acc_depth),
                                            VectorTimeline(sram.geometry.acc_depth)};
    auto& [fast, slow] = timelines;
    for (unsigned i = 0; i < 3; ++i) {
      const isa::VectorInsn insn = draw_insn(draw, sram.geometry.acc_depth);
      const auto at = slow.cycle() + draw.below(20);
      for (VectorTimeline& t : timelines) t.run(ports, at);
      for (VectorTimeline& t : timelines) t.start(i, insn, at);
      const auto done = fast.run_to_done(ports, i + 1);
      while (slow.done() <= i) slow.run(ports, slow.cycle() + 1);
      ASSERT_EQ(done, slow.cycle() - 1) << "seed " << seed << ", instruction " << i;
      slow.run(ports, fast.cycle());
      std::uint64_t steps = 1;
      for (const isa::VectorLevel& level : insn.levels) steps *= level.count;
      held_back += done - at > steps + 9 ? 1 : 0;
    }
  }
  EXPECT_GT(held_back, 300u) << "nothing happened that could be wrong";
}

}  // namespace
}  // namespace vdla::sim
