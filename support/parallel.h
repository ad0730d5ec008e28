// SPDX-License-Identifier: Apache-2.0
// The hook through which machine code runs the iterations of parallel loops on several threads.
//
// Object code with a parallel loop defines a variable `vdla_parallel` of this type, weak and zero, so that it
// links and runs anywhere: while `run` is null, loops run in the calling thread. A program with threads sets
// the variable before the first call (in C: `extern struct ParallelHook vdla_parallel;`), as the runtime does
// with its pool and the in-process compiler with the hook that it is given.
#pragma once

#include <cstdint>

namespace vdla {

/// Runs iterations [begin, end) of a loop; any split of the iterations over calls and threads is right.
using ParallelTask = void (*)(void* closure, std::int64_t begin, std::int64_t end);

struct ParallelHook {
  /// Runs all of [0, count) and returns when they are done. May be called from several threads and from
  /// within a task.
  void (*run)(void* pool, ParallelTask task, void* closure, std::int64_t count) = nullptr;
  void* pool = nullptr;
};

}  // namespace vdla
