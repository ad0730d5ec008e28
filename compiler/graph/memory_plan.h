// SPDX-License-Identifier: Apache-2.0
// Static memory plan: where each of a sequence of buffers lies in one arena, so that those alive together
// never overlap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
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

/// The plan of buffers that come one by one: after each, all lie as plan_memory() puts them. An addition
/// looks at the buffers that are alive together with those that it moves, not at all of them.
class MemoryPlanner {
 public:
  explicit MemoryPlanner(std::int64_t alignment);

  struct Moved {
    std::size_t buffer;
    std::int64_t before;  ///< its offset; nothing for the new one
  };
  /// Adds a buffer; of equally big ones the one with the smaller `rank` comes first. Buffers are numbered as
  /// they come; those that have moved, the new one among them.
  std::vector<Moved> add(const Lifetime& buffer, std::int64_t rank);
  /// The latest addition has not been.
  void undo(const std::vector<Moved>& moved);

  std::int64_t offset(std::size_t buffer) const { return buffers_[buffer].offset; }
  const Lifetime& lifetime(std::size_t buffer) const { return buffers_[buffer].life; }
  /// Buffers that are alive at a step.
  const std::vector<std::size_t>& alive(int step) const;

 private:
  struct Buffer {
    Lifetime life;
    std::int64_t rank = 0, offset = 0;
  };
  struct Moment {
    std::vector<std::size_t> alive, beginning;
  };
  bool before(std::size_t a, std::size_t b) const;
  /// Alive together with it.
  std::vector<std::size_t> neighbours(std::size_t buffer) const;
  std::int64_t lowest(const Lifetime& life, std::vector<std::size_t> beside) const;

  std::int64_t alignment_;
  std::vector<Buffer> buffers_;
  std::unordered_map<int, Moment> steps_;
};

/// Biggest first, each at the lowest offset that is free during its life.
MemoryPlan plan_memory(const std::vector<Lifetime>& buffers, std::int64_t alignment);

}  // namespace vdla::graph
