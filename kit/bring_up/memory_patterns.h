// SPDX-License-Identifier: Apache-2.0
// Patterns through a device's DMA memory (driver/selftest/memory.h), and what a difference comes from.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "driver/selftest/memory.h"

namespace vdla::kit {

struct MemoryResult {
  vdla_memory_pattern pattern = VDLA_MEMORY_ADDRESS;
  unsigned round = 0;
  vdla_memory_difference difference{};
  std::string cause;  ///< usual cause of such a difference; empty: not known
};

/// All patterns in their order.
std::vector<vdla_memory_pattern> memory_patterns();

/// Writes and reads each pattern as often as there are rounds, up to the first that differs, which is the
/// last result then. The memory is not allocated: no other part may use it. DeviceError where the transport
/// fails.
std::vector<MemoryResult> test_memory(const vdla_transport& transport, std::uint64_t address,
                                      std::uint64_t bytes, std::span<const vdla_memory_pattern> patterns,
                                      unsigned rounds);

}  // namespace vdla::kit
