// SPDX-License-Identifier: Apache-2.0
// What the emulator finds: missing barriers, barriers that only some threads reach, and accesses that are
// wrong.
#include "runtime/gpu/emulator.h"

#include <gmock/gmock.h>

#include "compiler/loop/parse.h"
#include "tests/compiler/codegen/opencl/schedules.h"
#include "tests/runtime/gpu/barriers.h"

namespace vdla::gpu {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;

class Emulator : public ::testing::Test {
 protected:
  void SetUp() override { VDLA_SKIP_WITHOUT_DEVICE(open_test_device(kEmulator)); }
};

TEST_F(Emulator, NoticesEachBarrierThatIsMissing) {
  std::vector<std::string> functions{lowered_text(grid::sgemm(32, 16))};
  for (const char* text : kFunctionsWithBarriers) functions.push_back(lowered_text(loop::parse(text)));
  for (const std::string& function : functions) {
    EXPECT_EQ(complaint(function), "") << function;
    const std::vector<std::string> broken = without_each_barrier(function);
    EXPECT_FALSE(broken.empty()) << function;
    for (const std::string& text : broken)
      EXPECT_THAT(complaint(text), AnyOf(HasSubstr("with no barrier between them"),
                                         HasSubstr("which no thread of the block has written")))
          << text;
  }
}

TEST_F(Emulator, FindsNothingWrongWithDrawnKernels) {
  int kernels = 0, noticed = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const std::string text = drawn_kernel(seed);
    if (text.empty()) continue;
    ++kernels;
    EXPECT_EQ(complaint(text), "") << text;
    for (const std::string& broken : without_each_barrier(text)) noticed += complaint(broken).empty() ? 0 : 1;
  }
  EXPECT_GE(kernels, 10);
  // Some are there because a proof is not found: oclgrind_test.cpp says which ones are needed.
  EXPECT_GE(noticed, kernels);
}

std::string thread_function(const std::string& body) {
  return "func f(in A: i32[64], out B: i32[64]) { for t in 0..64 thread.x { " + body + " } }";
}

TEST_F(Emulator, NamesKernelBlockThreadsAndLines) {
  EXPECT_THAT(
      complaint(thread_function("B[t] = A[t] if t < 7 { intrinsic barrier() }")),
      HasSubstr("kernel 'f', block (0, 0, 0): thread (0, 0, 0) waits at the barrier in line 5 ('intrinsic "
                "barrier()'), and thread (7, 0, 0) has ended; all threads of a block have to reach it"));
  EXPECT_THAT(complaint(thread_function(
                  "if t < 7 { intrinsic barrier() } if t >= 7 { intrinsic barrier() } B[t] = A[t]")),
              AllOf(HasSubstr("waits at the barrier in line 4"), HasSubstr("waits at the one in line 7")));
  EXPECT_THAT(
      complaint(thread_function("alloc s: i32[64] @shared s[t] = A[t] B[t] = s[t + 1 - t / 63 * 64]")),
      AllOf(HasSubstr("of the block's shared memory in line"), HasSubstr("('B[t] = s[")));
  EXPECT_THAT(complaint(thread_function("alloc s: i32[64] @shared B[t] = s[t]")),
              HasSubstr("which no thread of the block has written"));
  EXPECT_THAT(
      complaint("func f(in A: i32[64], out B: i32[64]) { for b in 0..2 block.x { for t in 0..64 thread.x { "
                "B[t] = A[t] } } }"),
      HasSubstr("of buffer 1 in line 4 ('B[t] = A[t]'), which another block wrote in line 4"));
}

TEST_F(Emulator, NamesARaceWithABlockThatReadsWhatItWrites) {
  const std::string text =
      "func f(in A: i32[4], inout C: i32[1], out B: i32[2]) { for b in 0..2 block.x { for t in 0..1 thread.x "
      "{"
      " if b < 1 { B[0] = C[0] } if b > 0 { B[1] = C[0] C[0] = C[0] + 1i32 } } } }";
  for (std::uint64_t seed = 0; seed < 8; ++seed)
    EXPECT_THAT(
        complaint(text, seed),
        AnyOf(HasSubstr("of buffer 1 in line 9 ('C[0] = C[0] + 1i32'), which another block read in line "
                        "5 ('B[0] = C[0]')"),
              HasSubstr("of buffer 1 in line 5 ('B[0] = C[0]'), which another block wrote in line 9")))
        << seed;
}

TEST_F(Emulator, ForgetsAtALaunchWhatBlocksReadBefore) {
  for (std::uint64_t seed = 0; seed < 8; ++seed)
    EXPECT_EQ(
        complaint("func f(inout C: i32[1], out B: i32[4]) { for b in 0..4 block.x { B[b] = C[0] } for c in "
                  "0..1 block.x { C[0] = 7i32 } }",
                  seed),
        "");
}

TEST_F(Emulator, RunsAFunctionWithoutKernelsOrThreads) {
  EXPECT_EQ(complaint("func f(in A: i32[4], out B: i32[4]) { }"), "");
  EXPECT_EQ(complaint("func f(in A: i32[4], out B: i32[4]) { for t in 0..0 thread.x { B[t] = A[t] } }"), "");
}

}  // namespace
}  // namespace vdla::gpu
