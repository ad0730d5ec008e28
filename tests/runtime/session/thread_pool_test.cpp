// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/thread_pool.h"

#include <gtest/gtest.h>

#include <set>

namespace vdla::runtime {
namespace {

/// Counts how often each iteration ran, and in which threads.
struct Counts {
  std::vector<std::atomic<int>> ran;
  std::mutex mutex;
  std::set<std::thread::id> threads;

  explicit Counts(std::size_t n) : ran(n) {}
  static void task(void* self, std::int64_t begin, std::int64_t end) {
    auto& counts = *static_cast<Counts*>(self);
    for (std::int64_t i = begin; i < end; ++i) ++counts.ran[static_cast<std::size_t>(i)];
    const std::scoped_lock lock(counts.mutex);
    counts.threads.insert(std::this_thread::get_id());
  }
};

TEST(ThreadPool, EveryIterationRunsOnce) {
  for (unsigned threads : {1u, 2u, 5u}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (std::int64_t n : {0, 1, 2, 3, 7, 100, 1001}) {
      Counts counts(static_cast<std::size_t>(n));
      pool.run(Counts::task, &counts, n);
      for (const auto& ran : counts.ran) ASSERT_EQ(ran, 1) << n << " iterations, " << threads << " threads";
      EXPECT_LE(counts.threads.size(), threads);
    }
  }
}

TEST(ThreadPool, ManyShortLoopsOneAfterTheOther) {
  ThreadPool pool(4);
  Counts counts(16);
  constexpr int kRounds = 5000;
  for (int i = 0; i < kRounds; ++i) pool.run(Counts::task, &counts, 16);
  for (const auto& ran : counts.ran) EXPECT_EQ(ran, kRounds);
}

/// A loop whose iterations run loops themselves.
struct Nested {
  ThreadPool& pool;
  std::atomic<int> inner{0};
  static void add(void* self, std::int64_t begin, std::int64_t end) {
    static_cast<Nested*>(self)->inner += static_cast<int>(end - begin);
  }
  static void task(void* self, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) static_cast<Nested*>(self)->pool.run(add, self, 10);
  }
};

TEST(ThreadPool, ALoopInsideALoopRunsWhereItIsMet) {
  ThreadPool pool(3);
  Nested nested{pool};
  pool.run(Nested::task, &nested, 50);
  EXPECT_EQ(nested.inner, 500);
}

TEST(ThreadPool, SeveralCallersAtOnce) {
  ThreadPool pool(2);
  std::vector<std::thread> callers;
  std::atomic<bool> right = true;
  for (int c = 0; c < 3; ++c) {
    callers.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        Counts counts(33);
        pool.run(Counts::task, &counts, 33);
        for (const auto& ran : counts.ran) right = right && ran == 1;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_TRUE(right);
}

}  // namespace
}  // namespace vdla::runtime
