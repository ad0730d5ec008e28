// SPDX-License-Identifier: Apache-2.0
// Static memory plan: where each of a sequence of buffers lies in one arena, so that those alive together
// never overlap.
#pragma once

#include <cstdint>
#include <vector>

namespace vdla::graph {

/// Alive from step `first` to step `last`, both included.
struct Lifetime {
  std::int64_t bytes = 0;
  int first = 0, last = 0;
};

struct MemoryPlan {
  std::vector<std::int64_t> offsets;  ///< multiples of the alignment
  std::int64_t bytes = 0;
};

/// Biggest first, each at the lowest offset that is free during its life.
MemoryPlan plan_memory(const std::vector<Lifetime>& buffers, std::int64_t alignment);

}  // namespace vdla::graph
