// SPDX-License-Identifier: Apache-2.0
// Parallel loops of compiled code: with a pool, without one, from an object, from the in-process compiler.
#include <gtest/gtest.h>

#include <numeric>

#include "compiler/loop/parse.h"
#include "compiler/targets/cpu/code/code.h"
#include "runtime/module/host_kernel.h"
#include "runtime/session/thread_pool.h"

namespace vdla::runtime {
namespace {

/// A loop with a large and a small buffer of its own, a constant from outside, and a parallel loop inside.
const char* const kText = R"(func rows(in a: i32[64, 100], in s: i32[64], out c: i32[64, 100]) {
  for b in 0..2 {
    for i in 0..32 parallel {
      alloc t: i32[100]
      alloc u: i32[5000]
      for j in 0..100 { t[j] = a[b * 32 + i, j] * s[b * 32 + i] }
      for j in 0..100 parallel { u[j] = t[99 - j] }
      for j in 0..100 { c[b * 32 + i, j] = u[j] + i32(b) }
    }
  }
})";

void expect_right(const std::function<void(void* const*)>& kernel) {
  std::vector<std::int32_t> a(6400), s(64), c(6400);
  std::iota(a.begin(), a.end(), 1);
  std::iota(s.begin(), s.end(), -30);
  void* params[] = {a.data(), s.data(), c.data()};
  for (int round = 0; round < 50; ++round) {
    std::ranges::fill(c, 0);
    kernel(params);
    for (std::size_t i = 0; i < 64; ++i) {
      for (std::size_t j = 0; j < 100; ++j)
        ASSERT_EQ(c[i * 100 + j], a[i * 100 + 99 - j] * s[i] + static_cast<std::int32_t>(i / 32));
    }
  }
}

KernelObject object() {
  const loop::Func func = loop::parse(kText);
  const codegen::HostTarget target = codegen::native_target();
  return {.triple = target.triple,
          .cpu = target.cpu,
          .features = target.features,
          .elf = host::to_object({&func, 1}, target)};
}

TEST(ParallelObject, RunsWithoutAPool) {
  ObjectLoader loader({object()});
  const HostKernel kernel = loader.kernel("rows");
  expect_right([&](void* const* params) { kernel({params, 3}); });
}

TEST(ParallelObject, RunsOnAPool) {
  for (unsigned threads : {1u, 4u}) {
    ThreadPool pool(threads);
    ObjectLoader loader({object()}, pool.hook());
    const HostKernel kernel = loader.kernel("rows");
    expect_right([&](void* const* params) { kernel({params, 3}); });
  }
}

/// Counts the loops that arrive, and runs them in pieces of three.
struct Counter {
  int loops = 0;
  static void run(void* self, ParallelTask task, void* closure, std::int64_t count) {
    ++static_cast<Counter*>(self)->loops;
    for (std::int64_t at = 0; at < count; at += 3) task(closure, at, std::min(at + 3, count));
  }
};

TEST(ParallelObject, TheHookGetsOuterLoopsOnly) {
  Counter counter;
  host::Jit jit({Counter::run, &counter});
  expect_right(jit.add(loop::parse(kText)));
  EXPECT_EQ(counter.loops, 50 * 2);
}

TEST(ParallelObject, TheInProcessCompilerUsesAPool) {
  ThreadPool pool(3);
  host::Jit jit(pool.hook());
  expect_right(jit.add(loop::parse(kText)));
}

}  // namespace
}  // namespace vdla::runtime
