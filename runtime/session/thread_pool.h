// SPDX-License-Identifier: Apache-2.0
// Threads for the parallel loops of host kernels (support/parallel.h). The caller works too, so a pool of one
// has no thread of its own. One loop runs at a time: a loop inside a loop, or of a second caller, runs in the
// thread that meets it, so there are never more busy threads than the pool's and the callers.
//
// Each thread has a part of each loop, the same one of loops that follow each other: what it made in one it
// finds in its cache in the next. A thread that is through with its part goes on with those of others.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "support/parallel.h"

namespace vdla::runtime {

/// As many as are meant by --threads: 0 is one for each core.
unsigned thread_count(unsigned wanted);

class ThreadPool {
 public:
  /// `threads` counts the caller, as thread_count() has it. UserError where these cannot be started.
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  unsigned threads() const { return static_cast<unsigned>(workers_.size()) + 1; }
  void run(ParallelTask task, void* closure, std::int64_t count);
  /// For `vdla_parallel`; valid as long as the pool.
  ParallelHook hook();

 private:
  /// Rest of a thread's part, on a line of the cache of its own.
  struct alignas(64) Part {
    std::atomic<std::int64_t> next = 0;
    std::int64_t end = 0;
  };

  void serve(unsigned thread);
  void work(unsigned thread);
  void stop();

  std::vector<std::thread> workers_;
  /// Set while a loop runs on the pool. No mutex: a thread inside of a loop asks, too, and might hold it.
  std::atomic_flag in_loop_;

  // The loop; written before it opens, read by the threads that entered.
  ParallelTask task_ = nullptr;
  void* closure_ = nullptr;
  std::int64_t chunk_ = 1;
  std::unique_ptr<Part[]> parts_;  ///< parts of each thread, the caller's first

  std::mutex mutex_;  ///< guards what follows
  std::condition_variable opened_, left_;
  bool open_ = false;
  // Flags that waiting threads look at for a while without the mutex; they change under it.
  std::atomic<bool> stop_ = false;
  std::atomic<std::uint64_t> generation_ = 0;
  std::atomic<unsigned> inside_ = 0;
};

}  // namespace vdla::runtime
