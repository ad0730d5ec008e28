// SPDX-License-Identifier: Apache-2.0
// The generated SystemVerilog, verilated, against the definition: the checker reports the rule that C++
// reports, the registers keep, clear and pulse.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>

#include "Vgenerated_top.h"
#include "isa/codec/codec.h"
#include "isa/spec/registers.h"
#include "isa/spec/version.h"
#include "tests/isa/check_words.h"

namespace vdla::isa {
namespace {

/// Compares hardware and definition on one word; the number of the broken rule, 0 when it is legal.
unsigned check_word(Vgenerated_top& top, const InsnWords& words) {
  for (unsigned w = 0; w < 16; ++w)
    top.insn_i[w] = static_cast<std::uint32_t>(words[w / 2] >> (32 * (w % 2)));
  top.eval();
  const Rule* rule = find_broken_rule(words, check_geometry());
  const unsigned number = rule == nullptr ? 0 : number_of(*rule);
  EXPECT_EQ(top.rule_o, number) << describe_rule(number) << " | " << describe_rule(top.rule_o);
  EXPECT_EQ(top.illegal_o, number == 0 ? 0 : 1);
  return number;
}

TEST(GeneratedRtl, EveryBitOfALegalWordIsChecked) {
  auto top = std::make_unique<Vgenerated_top>();
  for (const InsnWords& legal : legal_words()) {
    ASSERT_EQ(check_word(*top, legal), 0u);
    for (unsigned bit = 0; bit < 8 * kInsnBytes; ++bit) {
      InsnWords words = legal;
      words[bit / 64] ^= std::uint64_t{1} << (bit % 64);
      check_word(*top, words);
      ASSERT_FALSE(HasFailure()) << "bit " << bit;
    }
  }
}

TEST(GeneratedRtl, CheckerReportsTheSameRule) {
  auto top = std::make_unique<Vgenerated_top>();
  std::mt19937_64 random(1);
  std::vector<int> hits(rules().size() + 1);
  for (int n = 0; n < 300000; ++n) {
    ++hits[check_word(*top, random_words(random))];
    ASSERT_FALSE(HasFailure()) << n;
  }
  EXPECT_GT(hits[0], 1000);
  for (unsigned i = 1; i < hits.size(); ++i) {
    // A result in inp already breaks vector_dst_square here, where K and N differ.
    if (rules()[i - 1].name == "vector_dst_base_inp") continue;
    EXPECT_GT(hits[i], 0) << "no random word broke " << describe_rule(i);
  }
}

constexpr unsigned kStatusWord = static_cast<unsigned>(Register::STATUS) / 4;

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
      EXPECT_EQ(r.read(offset), row.access == Access::ReadWrite || row.access == Access::ReadWriteIdle
                                    ? value & mask
                                    : before)
          << row.name << " " << w;
    }
  }
  EXPECT_EQ(r.read(0x0f0), 0u);  // unmapped
  EXPECT_EQ(r.top().window_size_o[2 * 3], 0xa5f00000u + 0x108 + 3 * kWindowStride);
}

/// What a running program depends on cannot change under it.
TEST(GeneratedRtl, AddressesAndCountsKeepTheirValueWhileBusy) {
  Registers r;
  int kept = 0;
  for (const RegisterRow& row : kRegisters) {
    if (row.access != Access::ReadWrite && row.access != Access::ReadWriteIdle) continue;
    const std::uint32_t first = 0x12345600u & ~kControlSoftReset, second = first ^ 0xff00u;
    r.top().values_i[kStatusWord] = kStatusIdle;
    r.write(row.offset, first);
    r.top().values_i[kStatusWord] = kStatusBusy;
    r.write(row.offset, second);
    const bool keeps = row.access == Access::ReadWriteIdle;
    kept += keeps;
    EXPECT_EQ(r.read(row.offset), keeps ? first : second) << row.name;
  }
  EXPECT_EQ(kept, 6);
}

TEST(GeneratedRtl, ConstantsAndInputs) {
  Registers r;
  EXPECT_EQ(r.read(Register::MAGIC), kMagic);
  EXPECT_EQ(r.read(Register::ISA_VERSION), kIsaVersion);
  EXPECT_EQ(r.read(Register::GEOMETRY_HASH_LO), 0x89abcdefu);
  EXPECT_EQ(r.read(Register::GEOMETRY_HASH_HI), 0x01234567u);
  for (const RegisterRow& row : kRegisters)
    if (row.access == Access::Fixed && row.offset > static_cast<std::uint32_t>(Register::GEOMETRY_HASH_HI)) {
      EXPECT_EQ(r.read(row.offset), 0xb0000000u + row.offset) << row.name;
    }
  std::mt19937 random(2);
  for (unsigned i = 0; i < kRegisterSpace / 4; ++i)
    r.top().values_i[i] = static_cast<std::uint32_t>(random());
  for (const RegisterRow& row : kRegisters) {
    if (row.access != Access::ReadOnly) continue;
    EXPECT_EQ(r.read(row.offset), r.top().values_i[row.offset / 4]) << row.name;
  }
}

/// Writes, strobes, interrupts and resets in any order against the words that must then be there.
TEST(GeneratedRtl, AnyHistoryOfWritesLeavesTheRightWords) {
  Registers r;
  Vgenerated_top& top = r.top();
  std::mt19937 random(3);
  constexpr std::uint32_t kPulse = kControlStart | kControlSoftReset;
  constexpr auto kControl = static_cast<std::uint32_t>(Register::CONTROL);
  constexpr auto kIrq = static_cast<std::uint32_t>(Register::IRQ_STATUS);
  constexpr auto kWindows = static_cast<std::uint32_t>(Register::WINDOW0_BASE_LO);
  std::array<std::uint32_t, kRegisterSpace / 4> words{};
  std::vector<std::uint32_t> writable, kept;  // of these, those that a busy machine keeps
  for (const RegisterRow& row : kRegisters) {
    if (row.offset >= kWindows) continue;
    if (row.access == Access::ReadWrite || row.access == Access::ReadWriteIdle)
      writable.push_back(row.offset);
    if (row.access == Access::ReadWriteIdle) kept.push_back(row.offset);
  }
  for (std::uint32_t at = kWindows; at < kWindows + kWindowCount * kWindowStride; at += 4) {
    writable.push_back(at);
    kept.push_back(at);
  }
  for (unsigned step = 0; step < 20000; ++step) {
    const std::uint32_t at = random() % 8 == 0   ? random() % (kRegisterSpace / 4) * 4
                             : random() % 8 == 0 ? kIrq
                                                 : writable[random() % writable.size()];
    const auto data = static_cast<std::uint32_t>(random());
    const unsigned strobe = random() % 16;
    std::uint32_t mask = 0;
    for (unsigned b = 0; b < 4; ++b) mask |= strobe >> b & 1 ? 0xffu << (8 * b) : 0;
    top.rst_i = random() % 500 == 0;
    top.wr_en_i = random() % 4 != 0;
    top.wr_addr_i = static_cast<std::uint16_t>(at);
    top.wr_data_i = data;
    top.wr_strb_i = static_cast<std::uint8_t>(strobe);
    top.irq_status_set_i = random() % 4 == 0 ? random() : 0;
    top.values_i[kStatusWord] = random() % 4 == 0 ? kStatusBusy : kStatusIdle | kStatusDone;
    const bool busy = (top.values_i[kStatusWord] & kStatusBusy) != 0;
    const bool writes = top.wr_en_i != 0 && !(busy && std::ranges::find(kept, at) != kept.end());
    words[kControl / 4] &= ~kPulse;
    if (writes && at == kIrq) words[kIrq / 4] &= ~(data & mask);
    words[kIrq / 4] |= top.irq_status_set_i;
    if (writes && std::ranges::find(writable, at) != writable.end())
      words[at / 4] = (words[at / 4] & ~mask) | (data & mask);
    if (top.rst_i) words.fill(0);
    r.clock();
    ASSERT_EQ(top.control_o, words[kControl / 4]) << step;
    ASSERT_EQ(top.irq_status_o, words[kIrq / 4]) << step;
    ASSERT_EQ(top.insn_offset_o, words[static_cast<unsigned>(Register::INSN_OFFSET) / 4]) << step;
    ASSERT_EQ(top.insn_count_o, words[static_cast<unsigned>(Register::INSN_COUNT) / 4]) << step;
    ASSERT_EQ(top.stall_limit_o, words[static_cast<unsigned>(Register::STALL_LIMIT) / 4]) << step;
    for (unsigned w = 0; w < kWindowCount; ++w)
      for (unsigned half = 0; half < 2; ++half) {
        const unsigned word = (kWindows + w * kWindowStride) / 4 + half;
        ASSERT_EQ(top.window_base_o[2 * w + half], words[word]) << step << ": window " << w;
        ASSERT_EQ(top.window_size_o[2 * w + half], words[word + 2]) << step << ": window " << w;
      }
    const std::uint32_t other = writable[random() % writable.size()];
    ASSERT_EQ(r.read(other), words[other / 4] & (other == kControl ? ~kPulse : ~0u)) << step << ": " << other;
    ASSERT_EQ(r.read(kIrq), words[kIrq / 4]) << step;
  }
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
