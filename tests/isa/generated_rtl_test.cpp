// SPDX-License-Identifier: Apache-2.0
// The generated SystemVerilog, verilated, against the definition: the checker reports the rule that C++
// reports, the registers keep, clear and pulse.
#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "Vgenerated_top.h"
#include "isa/codec/codec.h"
#include "isa/spec/registers.h"
#include "support/bits.h"

namespace vdla::isa {
namespace {

Geometry geometry() {
  Geometry g;
  g.inp_depth = 64;
  g.wgt_depth = 32;
  g.acc_depth = 128;
  g.out_depth = 256;
  g.par_depth = 16;
  g.uop_depth = 512;
  g.block_out = 8;
  return g;
}

/// A legal instruction with a few fields changed, sometimes a bit anywhere.
InsnWords random_words(std::mt19937_64& random) {
  static const std::vector<InsnWords> kLegal = [] {
    MemoryInsn store;
    store.opcode = Opcode::Store;
    store.buffer = Buffer::Out;
    VectorInsn hsum, scale;
    hsum.op = VectorOp::Hsum;
    hsum.a_buffer = Buffer::Inp;
    scale.op = VectorOp::Scale;
    scale.b_kind = VectorB::Par;
    scale.dst_buffer = Buffer::Out;
    const std::vector<Insn> insns = {MemoryInsn{}, store, GemmInsn{},  VectorInsn{},
                                     hsum,         scale, FinishInsn{}};
    std::vector<InsnWords> words;
    for (const Insn& insn : insns) words.push_back(encode(insn));
    return words;
  }();
  InsnWords words = kLegal[random() % kLegal.size()];
  const std::span<const Field> fields = fields_of(static_cast<Opcode>(words[0] & 15));
  for (std::uint64_t changes = random() % 5; changes != 0; --changes) {
    const Field& f = fields[random() % fields.size()];
    if (f.width == 0) continue;
    words[f.word()] = set_bits(words[f.word()], f.shift(), f.width, random() >> (random() % 64));
  }
  if (random() % 20 == 0) words[random() % 8] ^= std::uint64_t{1} << (random() % 64);
  return words;
}

TEST(GeneratedRtl, CheckerReportsTheSameRule) {
  auto top = std::make_unique<Vgenerated_top>();
  std::mt19937_64 random(1);
  std::vector<int> hits(rules().size() + 1);
  const Geometry g = geometry();
  for (int n = 0; n < 300000; ++n) {
    const InsnWords words = random_words(random);
    for (unsigned w = 0; w < 16; ++w)
      top->insn_i[w] = static_cast<std::uint32_t>(words[w / 2] >> (32 * (w % 2)));
    top->eval();
    const Rule* rule = find_broken_rule(words, g);
    const unsigned number = rule == nullptr ? 0 : number_of(*rule);
    ++hits[number];
    ASSERT_EQ(top->rule_o, number) << describe_rule(number) << " | " << describe_rule(top->rule_o);
    ASSERT_EQ(top->illegal_o, number == 0 ? 0 : 1);
  }
  EXPECT_GT(hits[0], 1000);
  for (unsigned i = 1; i < hits.size(); ++i) {
    // A result in inp already breaks vector_dst_square here, where K and N differ.
    if (rules()[i - 1].name == "vector_dst_base_inp") continue;
    EXPECT_GT(hits[i], 0) << "no random word broke " << describe_rule(i);
  }
}

class Registers {
 public:
  Registers() : top_(std::make_unique<Vgenerated_top>()) {
    top_->rst_i = 1;
    clock();
    top_->rst_i = 0;
  }
  void clock() {
    top_->clk_i = 0;
    top_->eval();
    top_->clk_i = 1;
    top_->eval();
  }
  void write(std::uint32_t offset, std::uint32_t data, unsigned strobe = 15) {
    top_->wr_en_i = 1;
    top_->wr_addr_i = static_cast<std::uint16_t>(offset);
    top_->wr_data_i = data;
    top_->wr_strb_i = static_cast<std::uint8_t>(strobe);
    clock();
    top_->wr_en_i = 0;
    top_->eval();
  }
  std::uint32_t read(std::uint32_t offset) {
    top_->rd_addr_i = static_cast<std::uint16_t>(offset);
    top_->eval();
    return top_->rd_data_o;
  }
  std::uint32_t read(Register r) { return read(static_cast<std::uint32_t>(r)); }
  void write(Register r, std::uint32_t data, unsigned strobe = 15) {
    write(static_cast<std::uint32_t>(r), data, strobe);
  }
  Vgenerated_top& top() { return *top_; }

 private:
  std::unique_ptr<Vgenerated_top> top_;
};

/// Each register's kind of access, from the table: bits of a read-write register stay, read-only ones ignore
/// writes.
TEST(GeneratedRtl, EveryRegisterHasItsAccess) {
  Registers r;
  for (const RegisterRow& row : kRegisters) {
    const bool window = row.name.starts_with("WINDOW0_");
    for (unsigned w = 0; w < (window ? kWindowCount : 1u); ++w) {
      const std::uint32_t offset = row.offset + w * kWindowStride;
      const std::uint32_t before = r.read(offset), value = 0xa5f00000u + offset;
      r.write(offset, value);
      r.clock();
      const std::uint32_t mask = row.name == "CONTROL" ? ~(kControlStart | kControlSoftReset) : ~0u;
      EXPECT_EQ(r.read(offset), row.access == Access::ReadWrite ? value & mask : before)
          << row.name << " " << w;
    }
  }
  EXPECT_EQ(r.read(0x0f0), 0u);  // unmapped
  EXPECT_EQ(r.top().window_size_o[2 * 3], 0xa5f00000u + 0x108 + 3 * kWindowStride);
}

TEST(GeneratedRtl, ConstantsAndInputs) {
  Registers r;
  r.top().cycles_i = 0x0000000900000008ull;
  r.top().status_i = 6;
  EXPECT_EQ(r.read(Register::MAGIC), kMagic);
  EXPECT_EQ(r.read(Register::ISA_VERSION), 1u);
  EXPECT_EQ(r.read(Register::GEOMETRY_HASH_LO), 0x89abcdefu);
  EXPECT_EQ(r.read(Register::GEOMETRY_HASH_HI), 0x01234567u);
  EXPECT_EQ(r.read(Register::CYCLES_LO), 8u);
  EXPECT_EQ(r.read(Register::CYCLES_HI), 9u);
  EXPECT_EQ(r.read(Register::STATUS), 6u);
  EXPECT_EQ(r.read(Register::ERROR_ADDR_HI), 5u);
}

TEST(GeneratedRtl, ControlPulsesForOneCycle) {
  Registers r;
  r.write(Register::CONTROL, kControlStart | kControlIrqEnable);
  EXPECT_EQ(r.top().control_o, kControlStart | kControlIrqEnable);
  EXPECT_EQ(r.read(Register::CONTROL), kControlIrqEnable);
  r.clock();
  EXPECT_EQ(r.top().control_o, kControlIrqEnable);
}

TEST(GeneratedRtl, InterruptBitsAreSetByHardwareAndClearedByOnes) {
  Registers r;
  r.top().irq_status_set_i = kIrqDone | kIrqError;
  r.clock();
  r.top().irq_status_set_i = 0;
  r.clock();
  EXPECT_EQ(r.read(Register::IRQ_STATUS), kIrqDone | kIrqError);
  r.write(Register::IRQ_STATUS, kIrqDone);
  EXPECT_EQ(r.read(Register::IRQ_STATUS), kIrqError);
  r.top().irq_status_set_i = kIrqError;
  r.write(Register::IRQ_STATUS, kIrqError);
  EXPECT_EQ(r.read(Register::IRQ_STATUS), kIrqError) << "setting wins over clearing";
}

TEST(GeneratedRtl, StrobesSelectBytes) {
  Registers r;
  r.write(Register::INSN_COUNT, 0x11223344);
  r.write(Register::INSN_COUNT, 0xaabbccdd, 0b0101);
  EXPECT_EQ(r.read(Register::INSN_COUNT), 0x11bb33ddu);
}

}  // namespace
}  // namespace vdla::isa
