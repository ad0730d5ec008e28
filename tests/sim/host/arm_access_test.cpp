// SPDX-License-Identifier: Apache-2.0
// Loads and stores of Arm, against what the assembler makes of their text.
#include "sim/host/arm_access.h"

#include <gmock/gmock.h>

namespace vdla::sim {
namespace {

/// r<n> holds 0x1000 * n.
std::vector<std::uint64_t> numbered(unsigned count) {
  std::vector<std::uint64_t> registers(count);
  for (unsigned n = 0; n < count; ++n) registers[n] = 0x1000ull * n;
  return registers;
}

struct Form {
  const char* text;
  std::uint32_t code;
  bool load;
  unsigned bytes;
  unsigned target;
  std::uint64_t address;
  int written_back = -1;
  std::uint64_t value = 0;
};

void expect_forms(const ArmState& state, std::span<const std::uint64_t> registers,
                  std::span<const Form> forms) {
  for (const Form& form : forms) {
    SCOPED_TRACE(form.text);
    const auto access = state.decode(form.code, registers);
    ASSERT_TRUE(access);
    EXPECT_EQ(access->load, form.load);
    EXPECT_EQ(access->bytes, form.bytes);
    EXPECT_EQ(access->target.value_or(31), form.target);
    EXPECT_EQ(access->address, form.address);
    ASSERT_EQ(access->write_back.has_value(), form.written_back >= 0);
    if (!access->write_back) continue;
    EXPECT_EQ(access->write_back->number, static_cast<unsigned>(form.written_back));
    EXPECT_EQ(access->write_back->value, form.value);
  }
}

TEST(ArmAccess, DecodesA32) {
  auto registers = numbered(17);
  registers[6] = 0x8000'0000;
  const Form forms[] = {
      {"ldr r1, [r2]", 0xe5921000, true, 4, 1, 0x2000},
      {"str r1, [r2, #16]", 0xe5821010, false, 4, 1, 0x2010},
      {"ldr r1, [r2, #-4]", 0xe5121004, true, 4, 1, 0x1ffc},
      {"ldrne r1, [r2, r3]", 0x17921003, true, 4, 1, 0x5000},
      {"str r1, [r2, -r3, lsl #2]", 0xe7021103, false, 4, 1, 0x2000 - 0xc000 + 0x1'0000'0000},
      {"ldr r1, [r2, r3, lsr #4]", 0xe7921223, true, 4, 1, 0x2300},
      {"ldr r1, [r2, r6, asr #28]", 0xe7921e46, true, 4, 1, 0x1ff8},
      {"ldr r1, [r2, r3, ror #12]", 0xe7921663, true, 4, 1, 0x2003},
      {"str r1, [r2], #8", 0xe4821008, false, 4, 1, 0x2000, 2, 0x2008},
      {"ldr r1, [r2, #8]!", 0xe5b21008, true, 4, 1, 0x2008, 2, 0x2008},
      {"ldr r1, [pc, #8]", 0xe59f1008, true, 4, 1, 0xf010},
      {"strb r1, [r2]", 0xe5c21000, false, 1, 1, 0x2000},
      {"ldrh r1, [r2, #18]", 0xe1d211b2, true, 2, 1, 0x2012},
      {"strh r1, [r2, r3]", 0xe18210b3, false, 2, 1, 0x5000},
      {"ldrsb r1, [r2]", 0xe1d210d0, true, 1, 1, 0x2000},
  };
  expect_forms(kA32, registers, forms);
}

TEST(ArmAccess, RefusesOtherA32) {
  const auto registers = numbered(17);
  for (const std::uint32_t code : {
           0xe8920006u,  // ldm r2, {r1, r2}
           0xe1c200d0u,  // ldrd r0, r1, [r2]
           0xe592f000u,  // ldr pc, [r2]
           0xe1921f9fu,  // ldrex r1, [r2]
           0xe1021093u,  // swp r1, r3, [r2]
           0xed920b00u,  // vldr d0, [r2]
           0xe0821003u,  // add r1, r2, r3
           0xf5d2f000u,  // pld [r2]
           0xe7921063u,  // ldr r1, [r2, r3, rrx]
       })
    EXPECT_FALSE(kA32.decode(code, registers)) << std::hex << code;
}

/// An interrupt stops the processor anywhere, also in front of what it is going to skip.
TEST(ArmAccess, IsNoneWhereTheConditionDoesNotHold) {
  constexpr std::uint32_t kOverflow = 1u << 28, kCarry = 1u << 29, kZero = 1u << 30, kNegative = 1u << 31;
  struct Condition {
    const char* text;
    std::uint32_t code, holds, fails;
  };
  auto registers = numbered(17);
  for (const auto& [text, code, holds, fails] : {
           Condition{"ldreq r1, [r2]", 0x05921000, kZero, kCarry},
           Condition{"ldrne r1, [r2]", 0x15921000, 0, kZero},
           Condition{"ldrcs r1, [r2]", 0x25921000, kCarry, kZero},
           Condition{"ldrcc r1, [r2]", 0x35921000, kOverflow, kCarry},
           Condition{"ldrmi r1, [r2]", 0x45921000, kNegative, kZero},
           Condition{"ldrpl r1, [r2]", 0x55921000, kZero, kNegative},
           Condition{"ldrvs r1, [r2]", 0x65921000, kOverflow, kNegative},
           Condition{"ldrvc r1, [r2]", 0x75921000, kNegative, kOverflow},
           Condition{"strhi r1, [r2]", 0x85821000, kCarry, kCarry | kZero},
           Condition{"strls r1, [r2]", 0x95821000, kCarry | kZero, kCarry},
           Condition{"strge r1, [r2]", 0xa5821000, kNegative | kOverflow, kNegative},
           Condition{"strlt r1, [r2]", 0xb5821000, kOverflow, kNegative | kOverflow},
           Condition{"strgt r1, [r2]", 0xc5821000, 0, kZero},
           Condition{"strle r1, [r2]", 0xd5821000, kZero, kNegative | kOverflow},
       }) {
    SCOPED_TRACE(text);
    registers[16] = holds;
    EXPECT_TRUE(kA32.decode(code, registers));
    registers[16] = fails;
    EXPECT_FALSE(kA32.decode(code, registers));
  }
  registers[16] = 1u << 5;  // two instructions of Thumb look like an access
  EXPECT_FALSE(kA32.decode(0xe5921000, registers));
}

TEST(ArmAccess, DecodesA64) {
  auto registers = numbered(33);
  registers[6] = 0xffff'ffff'ffff'fff8;
  const Form forms[] = {
      {"ldr w1, [x2]", 0xb9400041, true, 4, 1, 0x2000},
      {"str w1, [x2, #16]", 0xb9001041, false, 4, 1, 0x2010},
      {"str wzr, [x2, #24]", 0xb900185f, false, 4, 31, 0x2018},
      {"ldr x1, [x2, #8]", 0xf9400441, true, 8, 1, 0x2008},
      {"ldrsw x1, [x2, #4]", 0xb9800441, true, 4, 1, 0x2004},
      {"ldrb w1, [x2, #3]", 0x39400c41, true, 1, 1, 0x2003},
      {"strh w1, [x2]", 0x79000041, false, 2, 1, 0x2000},
      {"ldur w1, [x2, #-4]", 0xb85fc041, true, 4, 1, 0x1ffc},
      {"str w1, [x2], #8", 0xb8008441, false, 4, 1, 0x2000, 2, 0x2008},
      {"ldr w1, [x2, #-8]!", 0xb85f8c41, true, 4, 1, 0x1ff8, 2, 0x1ff8},
      {"ldr w1, [sp, #4]", 0xb94007e1, true, 4, 1, 0x1f004},
      {"ldr w1, [x2, x3]", 0xb8636841, true, 4, 1, 0x5000},
      {"str w1, [x2, x3, lsl #2]", 0xb8237841, false, 4, 1, 0xe000},
      {"ldr w1, [x2, w6, sxtw #2]", 0xb866d841, true, 4, 1, 0x2000 - 32},
      {"ldr w1, [x2, w3, uxtw]", 0xb8634841, true, 4, 1, 0x5000},
      {"ldar w1, [x2]", 0x88dffc41, true, 4, 1, 0x2000},
      {"stlr w1, [x2]", 0x889ffc41, false, 4, 1, 0x2000},
  };
  expect_forms(kA64, registers, forms);
}

TEST(ArmAccess, RefusesOtherA64) {
  const auto registers = numbered(33);
  for (const std::uint32_t code : {
           0x29400c41u,  // ldp w1, w3, [x2]
           0x885f7c41u,  // ldxr w1, [x2]
           0xbd400041u,  // ldr s1, [x2]
           0xf9800040u,  // prfm pldl1keep, [x2]
           0xb8600041u,  // ldadd w0, w1, [x2]
           0x18000041u,  // ldr w1, label
           0x8b030041u,  // add x1, x2, x3
           0xb8400841u,  // ldtr w1, [x2]
       })
    EXPECT_FALSE(kA64.decode(code, registers)) << std::hex << code;
}

TEST(ArmAccess, ExtendsTheSignOfLdrswOnly) {
  const auto registers = numbered(33);
  EXPECT_EQ(loaded_value(*kA64.decode(0xb9800441, registers), 0x8000'0000), 0xffff'ffff'8000'0000ull);
  EXPECT_EQ(loaded_value(*kA64.decode(0xb9400041, registers), 0x8000'0000), 0x8000'0000ull);
}

}  // namespace
}  // namespace vdla::sim
