// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/thread_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <system_error>

#include "support/error.h"

namespace vdla::runtime {
namespace {

/// Chunks for each thread: enough that a slow one does not hold up the others.
constexpr std::int64_t kChunks = 4;

/// More than any machine has cores for; tens of thousands would starve all else on it before they fail.
constexpr unsigned kMostThreads = 1024;

/// Begin of part `i` of `parts`.
std::int64_t share(std::int64_t count, std::int64_t parts, std::int64_t i) {
  return count / parts * i + std::min(i, count % parts);
}

/// How long a thread looks for the next loop, or for the end of one, before it sleeps: the functions of a
/// network follow each other closely, and to wake a thread takes as long as many of them.
constexpr std::chrono::microseconds kPatience{30};

template <class Condition>
void wait_awake(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!condition() && std::chrono::steady_clock::now() < end) {
  }
}

void run_on_pool(void* pool, ParallelTask task, void* closure, std::int64_t count) {
  static_cast<ThreadPool*>(pool)->run(task, closure, count);
}

}  // namespace

unsigned thread_count(unsigned wanted) {
  return wanted != 0 ? wanted : std::max(1u, std::thread::hardware_concurrency());
}

ThreadPool::ThreadPool(unsigned threads) {
  threads = thread_count(threads);
  VDLA_CHECK_USER(threads <= kMostThreads)
      << threads << " threads are wanted, needs at most " << kMostThreads << " (0: one for each core)";
  parts_ = std::make_unique<Part[]>(threads);
  try {
    for (unsigned i = 1; i < threads; ++i) workers_.emplace_back([this, i] { serve(i); });
  } catch (const std::system_error& e) {
    stop();  // ends those that did start
    throw UserError(fmt::format("{} threads are wanted, and only {} can run: {}; take fewer (--threads)",
                                threads, workers_.size() + 1, e.code().message()));
  } catch (...) {
    stop();
    throw;
  }
}

ThreadPool::~ThreadPool() { stop(); }

void ThreadPool::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stop_ = true;
  }
  opened_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

ParallelHook ThreadPool::hook() { return {run_on_pool, this}; }

void ThreadPool::run(ParallelTask task, void* closure, std::int64_t count) {
  if (count <= 1 || workers_.empty() || in_loop_.test_and_set(std::memory_order_acquire)) {
    if (count > 0) task(closure, 0, count);
    return;
  }
  {
    const std::scoped_lock lock(mutex_);
    task_ = task;
    closure_ = closure;
    const std::int64_t parts = threads();
    chunk_ = std::max<std::int64_t>(1, count / (kChunks * parts));
    for (std::int64_t i = 0; i < parts; ++i) {
      parts_[i].next = share(count, parts, i);
      parts_[i].end = share(count, parts, i + 1);
    }
    open_ = true;
    ++generation_;
  }
  opened_.notify_all();
  work(0);
  // Nothing is left to take: late workers need not come in, those inside finish what they took.
  std::unique_lock lock(mutex_);
  open_ = false;
  lock.unlock();
  wait_awake([this] { return inside_ == 0; });
  lock.lock();
  left_.wait(lock, [this] { return inside_ == 0; });
  in_loop_.clear(std::memory_order_release);
}

void ThreadPool::work(unsigned thread) {
  for (unsigned i = 0; i < threads(); ++i) {
    Part& part = parts_[(thread + i) % threads()];
    for (;;) {
      const std::int64_t begin = part.next.fetch_add(chunk_, std::memory_order_relaxed);
      if (begin >= part.end) break;
      task_(closure_, begin, std::min(begin + chunk_, part.end));
    }
  }
}

void ThreadPool::serve(unsigned thread) {
  std::uint64_t seen = 0;
  for (;;) {
    wait_awake([&] { return stop_ || generation_ != seen; });
    std::unique_lock lock(mutex_);
    if (!open_ && generation_ != seen) {  // came too late
      seen = generation_;
      continue;
    }
    opened_.wait(lock, [&] { return stop_ || (open_ && generation_ != seen); });
    if (stop_) return;
    seen = generation_;
    ++inside_;
    lock.unlock();
    work(thread);
    lock.lock();
    if (--inside_ == 0) left_.notify_all();
  }
}

}  // namespace vdla::runtime
