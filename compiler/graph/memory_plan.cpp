// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/memory_plan.h"

#include <algorithm>
#include <numeric>

#include "support/error.h"

namespace vdla::graph {

MemoryPlan plan_memory(const std::vector<Lifetime>& buffers, std::int64_t alignment) {
  VDLA_CHECK(alignment > 0) << "alignment " << alignment;
  std::vector<std::size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](auto a, auto b) {
    return buffers[a].bytes != buffers[b].bytes ? buffers[a].bytes > buffers[b].bytes : a < b;
  });
  MemoryPlan plan{std::vector<std::int64_t>(buffers.size(), 0), 0};
  std::vector<std::size_t> placed;  // by offset
  for (std::size_t i : order) {
    std::int64_t offset = 0;
    for (std::size_t j : placed) {
      const bool together = buffers[i].first <= buffers[j].last && buffers[j].first <= buffers[i].last;
      if (!together || offset + buffers[i].bytes <= plan.offsets[j]) continue;
      offset = std::max(offset, (plan.offsets[j] + buffers[j].bytes + alignment - 1) / alignment * alignment);
    }
    plan.offsets[i] = offset;
    plan.bytes = std::max(plan.bytes, offset + buffers[i].bytes);
    placed.insert(std::upper_bound(placed.begin(), placed.end(), offset,
                                   [&](std::int64_t o, std::size_t j) { return o < plan.offsets[j]; }),
                  i);
  }
  return plan;
}

}  // namespace vdla::graph
