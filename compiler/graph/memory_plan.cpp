// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/memory_plan.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <utility>

#include "support/error.h"

namespace vdla::graph {

MemoryPlanner::MemoryPlanner(std::int64_t alignment) : alignment_(alignment) {
  VDLA_CHECK(alignment > 0) << "alignment " << alignment;
}

bool MemoryPlanner::before(std::size_t a, std::size_t b) const {
  const Buffer &x = buffers_[a], &y = buffers_[b];
  return x.life.bytes != y.life.bytes ? x.life.bytes > y.life.bytes : x.rank < y.rank;
}

const std::vector<std::size_t>& MemoryPlanner::alive(int step) const {
  static const std::vector<std::size_t> kNone;
  const auto found = steps_.find(step);
  return found == steps_.end() ? kNone : found->second.alive;
}

std::vector<std::size_t> MemoryPlanner::neighbours(std::size_t buffer) const {
  const Lifetime& life = buffers_[buffer].life;
  std::vector<std::size_t> found = alive(life.first);
  for (int step = life.first + 1; step <= life.last; ++step)
    if (const auto at = steps_.find(step); at != steps_.end())
      found.insert(found.end(), at->second.beginning.begin(), at->second.beginning.end());
  std::erase(found, buffer);
  return found;
}

std::int64_t MemoryPlanner::lowest(const Lifetime& life, std::vector<std::size_t> beside) const {
  std::ranges::sort(beside, {}, [&](std::size_t j) { return buffers_[j].offset; });
  std::int64_t offset = 0;
  for (const std::size_t j : beside) {
    if (offset + life.bytes <= buffers_[j].offset) break;
    const std::int64_t end = buffers_[j].offset + buffers_[j].life.bytes;
    offset = std::max(offset, (end + alignment_ - 1) / alignment_ * alignment_);
  }
  return offset;
}

std::vector<MemoryPlanner::Moved> MemoryPlanner::add(const Lifetime& buffer, std::int64_t rank) {
  const std::size_t added = buffers_.size();
  buffers_.push_back({buffer, rank, 0});
  for (int step = buffer.first; step <= buffer.last; ++step) steps_[step].alive.push_back(added);
  steps_[buffer.first].beginning.push_back(added);
  // Tensors in the order in which they are placed, so that each is looked at once.
  const auto order = [this](std::size_t a, std::size_t b) { return before(a, b); };
  std::set<std::size_t, decltype(order)> to_place({added}, order);
  std::vector<Moved> moved;
  while (!to_place.empty()) {
    const std::size_t i = *to_place.begin();
    to_place.erase(to_place.begin());
    std::vector<std::size_t> beside = neighbours(i);
    const auto later = std::ranges::partition(beside, [&](std::size_t j) { return before(j, i); });
    const std::vector<std::size_t> after(later.begin(), later.end());
    beside.erase(later.begin(), later.end());
    const std::int64_t offset = lowest(buffers_[i].life, std::move(beside));
    if (i != added && offset == buffers_[i].offset) continue;
    moved.push_back({i, buffers_[i].offset});
    buffers_[i].offset = offset;
    to_place.insert(after.begin(), after.end());
  }
  return moved;
}

void MemoryPlanner::undo(const std::vector<Moved>& moved) {
  for (const Moved& m : moved) buffers_[m.buffer].offset = m.before;
  const Lifetime& life = buffers_.back().life;
  for (int step = life.first; step <= life.last; ++step) steps_[step].alive.pop_back();
  steps_[life.first].beginning.pop_back();
  buffers_.pop_back();
}

MemoryPlan plan_memory(const std::vector<Lifetime>& buffers, std::int64_t alignment) {
  std::vector<std::size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return buffers[i].bytes; });
  MemoryPlanner planner(alignment);
  MemoryPlan plan{std::vector<std::int64_t>(buffers.size(), 0), 0};
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::size_t i = order[k];
    planner.add(buffers[i], static_cast<std::int64_t>(i));  // nothing moves: no bigger one follows
    plan.offsets[i] = planner.offset(k);
    plan.bytes = std::max(plan.bytes, plan.offsets[i] + buffers[i].bytes);
  }
  return plan;
}

}  // namespace vdla::graph
