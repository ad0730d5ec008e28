// SPDX-License-Identifier: Apache-2.0
#include "kit/bring_up/memory_patterns.h"

#include <array>

#include "runtime/device/device.h"

namespace vdla::kit {

std::vector<vdla_memory_pattern> memory_patterns() {
  std::vector<vdla_memory_pattern> all;
  for (int p = 0; p < VDLA_MEMORY_PATTERN_COUNT; ++p) all.push_back(static_cast<vdla_memory_pattern>(p));
  return all;
}

std::vector<MemoryResult> test_memory(const vdla_transport& transport, std::uint64_t address,
                                      std::uint64_t bytes, std::span<const vdla_memory_pattern> patterns,
                                      unsigned rounds) {
  std::vector<MemoryResult> results;
  for (unsigned round = 0; round < rounds; ++round)
    for (const vdla_memory_pattern pattern : patterns) {
      const vdla_memory_range range{address, bytes, pattern, round};
      MemoryResult& r = results.emplace_back(
          MemoryResult{.pattern = pattern, .round = round, .difference = {}, .cause = {}});
      runtime::check_transport(transport, vdla_memory_fill(&transport, &range), "write memory");
      runtime::check_transport(transport, vdla_memory_check(&transport, &range, &r.difference),
                               "read memory");
      if (r.difference.bytes == 0) continue;
      std::array<char, 512> cause{};
      vdla_text text = vdla_text_in(cause.data(), cause.size());
      vdla_memory_add_cause(&text, &r.difference, &range);
      r.cause = cause.data();
      return results;
    }
  return results;
}

}  // namespace vdla::kit
