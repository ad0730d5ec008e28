// SPDX-License-Identifier: Apache-2.0
// The intrinsic dot4 on this machine and as its levels have it: what the interpreter makes of the loops, of
// the calls that they become, and what machine code does, are the same bytes; the levels use the instructions
// that they have. cross_test.cpp runs the levels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "compiler/loop/interpret.h"
#include "compiler/loop/parse.h"
#include "compiler/loop/print.h"
#include "compiler/targets/cpu/code/code.h"
#include "compiler/tensorize/host_table.h"
#include "compiler/tensorize/interpret.h"
#include "support/error.h"
#include "tests/compiler/codegen/llvm/dot_kernel.h"

namespace vdla::codegen {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Memory {
 public:
  explicit Memory(const loop::Func& func) {
    std::mt19937 random(5);
    for (const loop::Param& p : func.params) {
      bytes.emplace_back(
          static_cast<std::size_t>(expr::storage_size(*p.buffer) * expr::bytes(p.buffer->dtype)));
      for (std::byte& b : bytes.back()) {
        // Ends of the range, whose products are the largest, stand beside each other often.
        const unsigned draw = random() % 4;
        b = draw == 0 ? std::byte{0x80} : draw == 1 ? std::byte{0xff} : std::byte(random());
      }
      pointers.push_back(bytes.back().data());
      spans.emplace_back(bytes.back());
    }
  }
  std::vector<std::vector<std::byte>> bytes;
  std::vector<void*> pointers;
  std::vector<std::span<std::byte>> spans;
};

class Dot : public ::testing::TestWithParam<std::tuple<const char*, int>> {
 protected:
  loop::Func func() const {
    return loop::parse(dot_kernel("f", std::get<0>(GetParam()), std::get<1>(GetParam())));
  }
};

TEST_P(Dot, LoopsCallsAndMachineCodeAreTheSame) {
  const loop::Func marked = func(), called = tensorize::tensorize_for_host(marked);
  EXPECT_THAT(loop::to_string(called), HasSubstr("intrinsic dot4("));
  // The text form keeps the calls.
  EXPECT_EQ(loop::to_string(loop::parse(loop::to_string(called))), loop::to_string(called));
  Memory loops(marked), calls(called);
  loop::Interpreter(marked).run(loops.spans);
  loop::Interpreter(called, tensorize::interpret_calls(tensorize::host_intrinsics())).run(calls.spans);
  EXPECT_TRUE(calls.bytes == loops.bytes);
  for (const loop::Func* f : {&marked, &called}) {
    Memory here(*f);
    host::Jit jit;
    jit.add (*f)(here.pointers.data());
    EXPECT_TRUE(here.bytes == loops.bytes) << (f == &marked ? "marked" : "called");
  }
}

TEST_P(Dot, EachLevelUsesTheInstructionThatItHas) {
  const auto code = [&](const char* triple, const char* cpu, const char* features) {
    return host::to_llvm_ir(func(), {triple, cpu, features}, false);
  };
  const bool is_unsigned = std::get<0>(GetParam()) == std::string("u8");
  const char* pc = "x86_64-unknown-linux-gnu";
  EXPECT_THAT(code(pc, "x86-64-v4", "+avx512vnni"), HasSubstr(is_unsigned ? "vpdpbusd" : "pmadd"));
  EXPECT_THAT(code(pc, "x86-64-v3", "+avxvnni"), HasSubstr(is_unsigned ? "vpdpbusd" : "pmadd"));
  for (const char* level : {"x86-64-v4", "x86-64-v3", "x86-64-v2"})
    EXPECT_THAT(code(pc, level, ""), testing::AllOf(HasSubstr("pmadd"), Not(HasSubstr("ubs")))) << level;
  const char* arm = "aarch64-unknown-linux-gnu";
  const std::string with = code(arm, "cortex-a53", "+dotprod");
  EXPECT_EQ(with.find("neon.sdot") != std::string::npos, !is_unsigned);
  EXPECT_THAT(code(arm, "cortex-a53", ""), Not(HasSubstr("dot")));
}

INSTANTIATE_TEST_SUITE_P(Forms, Dot,
                         ::testing::Combine(::testing::Values("u8", "i8"), ::testing::Values(4, 8, 16)),
                         [](const auto& info) {
                           return std::get<0>(info.param) + std::string("x") +
                                  std::to_string(std::get<1>(info.param));
                         });

TEST(DotReset, AResetInTheStepStartsFromZero) {
  const loop::Func func = loop::parse(R"(func f(in a: u8[3, 4], in w: i8[3, 4, 4], out B: i32[4]) {
  for c in 0..3 {
    tensorize dot4 {
      for n in 0..4 { for k in 0..4 {
        B[n] = select(c == 0 & k == 0, 0i32, B[n]) + i32(a[c, k]) * i32(w[c, n, k]) } }
    }
  } })");
  Memory want(func), have(func);
  loop::Interpreter(func).run(want.spans);
  host::Jit jit;
  jit.add(func)(have.pointers.data());
  EXPECT_TRUE(have.bytes == want.bytes);
}

TEST(DotReset, CallsOfTheDeviceHaveNoCode) {
  const loop::Func func = loop::parse(
      "func f(in a: i8[4], in w: i8[4, 4], out B: i32[4]) { "
      "intrinsic gemm(out B[0] {4:1}, in a[0] {4:1}, in w[0, 0] {4:4, 4:1}) }");
  try {
    host::Jit jit;
    jit.add(func);
    ADD_FAILURE() << "accepted";
  } catch (const UserError& e) {
    EXPECT_THAT(e.what(), HasSubstr("intrinsic 'gemm' has no lowering for the CPU"));
  }
}

}  // namespace
}  // namespace vdla::codegen
