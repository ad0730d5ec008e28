// SPDX-License-Identifier: Apache-2.0
// What a kernel cannot have is refused with the statement, the rule and the remedy. What the pass makes of
// the rest is in text/place_threads.loop.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/grid/kernels.h"
#include "compiler/loop/parse.h"
#include "compiler/loop/print.h"
#include "compiler/passes/target.h"
#include "tests/compiler/user_error.h"

namespace vdla::passes {
namespace {

using ::testing::HasSubstr;

struct Refused {
  const char* body;
  const char* reason;
};

TEST(PlaceThreads, RefusesWhatAKernelCannotHave) {
  for (const auto& [body, reason] : {
           Refused{
               "for t in 0..8 thread.x { for i in 0..2 parallel { B[t] = A[i] } }",
               "place-threads: loop 'i' is parallel, which kernels have no loops of; bind its axis to blocks "
               "or threads of the grid"},
           {"for i in 0..8 parallel { B[i] = A[i] }", "loop 'i' is parallel"},
           {"for t in 0..8 thread.x { alloc p: f32[8192] for i in 0..8192 { p[i] = A[t] } B[t] = p[t] }",
            "has 32768 bytes of memory in each thread, needs at most 16384, since no thread can allocate "
            "more"},
           {"for b in 0..2 block.x { alloc s: f32[32768] @shared for t in 0..4 thread.x { s[t] = A[t] } }",
            "has 131072 bytes of memory @shared in a block, needs at most 98304; make its tiles smaller"},
           {"for t in 0..64 thread.x { for u in 0..32 thread.y { B[0] = A[0] } }",
            "has 64 x 32 x 1 threads in a block, needs at most 1024"},
           {"for i in 0..2 { for b in 0..4 block.x { B[i * 4 + b] = A[b] } }",
            "loop 'i' is serial and stands around loops over blocks or threads, so each of its iterations "
            "would "
            "be a launch; reorder it inside of them"},
           {"for t in 0..4 thread.x { for b in 0..2 block.x { B[b * 4 + t] = A[t] } }",
            "loop 'b' is block.x and does not stand around its whole kernel"},
           {"for b in 0..2 block.x { B[7] = 0f32 for c in 0..2 block.y { B[b * 2 + c] = A[b] } }",
            "loop 'c' is block.y and does not stand around its whole kernel"},
           {"for b in 0..2 block.x { for c in 0..2 block.x { B[b * 2 + c] = A[b] } }",
            "loop 'c' is block.x inside of another one; bind it to another axis of the grid"},
           {"for b in 0..2 block.x { for t in 0 extent b + 1 thread.x { B[t] = A[t] } }",
            "loop 't' is thread.x and needs to go from 0 to a constant"},
           {"alloc s: f32[8] @shared for t in 0..8 thread.x { s[t] = A[t] } for u in 0..8 thread.x { B[u] = "
            "s[u] }",
            "memory 's' is shared and allocated outside of all loops over blocks and threads"},
           {"for b in 0..1 block.x { alloc p: f32[8] for t in 0..8 thread.x { p[t] = A[t] }"
            " for u in 0..8 thread.x { B[u] = p[7 - u] } }",
            "'p[t] = A[t]' stands in loop 't' over threads, which fill 'p' together, and it is in memory "
            "'global', "
            "of which each thread has its own; give the stage scope shared"},
           {"for t in 0..8 thread.x { alloc s: f32[8] @shared s[t] = A[t] B[t] = s[t] }",
            "'s[t] = A[t]' uses 't' of thread.x around 's', so each thread would put something else there"},
           {"for t in 0..8 thread.x { alloc s: f32[8] @shared alloc p: f32[1] p[0] = A[t]"
            " for c in 0..8 thread.x { s[c] = p[0] } B[t] = s[t] }",
            "'s[c] = p[0]' puts 'p', of which each thread has its own, into 's', which they fill together"},
           {"for t in 0..8 thread.x { tensorize dot4 { for i in 0..4 { B[t] = A[i] } } }",
            "is marked to be an intrinsic, and kernels have those of threads (dp4a) and of warps "
            "(mma.load_a, "
            "mma.load_b, mma.sync) alone; leave tensorize out"},
           {"for b in 0..1 block.x { for t in 0..4 thread.x { intrinsic barrier() B[t] = A[t] }"
            " for u in 0..8 thread.x { B[u] = A[u] } }",
            "a barrier in loop 't' of 4 iterations does not wait for all 8 thread.x of the kernel"},
       })
    EXPECT_THAT(user_error([&] {
                  run_passes(loop::parse("func f(in A: f32[8], out B: f32[8]) { " + std::string(body) + " }"),
                             std::vector<std::string>{"place-threads"});
                }),
                HasSubstr(reason))
        << body;
}

TEST(SplitLaunches, GivesEachKernelWhatItUses) {
  const loop::Func func = loop::parse(
      "func f(in A: f32[8], inout B: f32[8], out C: f32[8]) { alloc t: f32[8]"
      " for b in 0..2 block.y { for x in 0..4 thread.x { t[b * 4 + x] = A[b * 4 + x] } }"
      " for z in 0..3 block.z { for x in 0..2 thread.y { alloc s: i16[6] @shared B[x] = B[x] + t[x] C[z] = "
      "1f32 } } }");
  const grid::Launches launches = grid::split_launches(lower(opencl_target(), func));
  EXPECT_EQ(launches.params, 3);
  ASSERT_EQ(launches.buffers.size(), 4);
  EXPECT_EQ(launches.buffers[3]->name, "t");
  ASSERT_EQ(launches.kernels.size(), 2);
  const grid::Kernel &first = launches.kernels[0], &second = launches.kernels[1];
  EXPECT_EQ(first.func.name, "f_0");
  EXPECT_EQ(first.blocks, (grid::Dimensions{1, 2, 1}));
  EXPECT_EQ(first.threads, (grid::Dimensions{4, 1, 1}));
  EXPECT_EQ(first.arguments, (std::vector<std::size_t>{0, 3}));
  EXPECT_EQ(second.blocks, (grid::Dimensions{1, 1, 3}));
  EXPECT_EQ(second.threads, (grid::Dimensions{1, 2, 1}));
  EXPECT_EQ(second.arguments, (std::vector<std::size_t>{1, 2, 3}));
  EXPECT_THAT(loop::to_string(first.func), HasSubstr("func f_0(in A: f32[8], out t: f32[8])"));
  EXPECT_THAT(loop::to_string(second.func), HasSubstr("(inout B: f32[8], out C: f32[8], in t: f32[8])"));
}

}  // namespace
}  // namespace vdla::passes
