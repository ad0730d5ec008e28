// SPDX-License-Identifier: Apache-2.0
// Operations of a program, counted from its instructions: the activity that an energy model wants.
#pragma once

#include <array>
#include <cstdint>

#include "isa/program/program.h"
#include "isa/spec/operations.h"

namespace vdla::explore {

struct Access {
  std::uint64_t read_bytes = 0;
  std::uint64_t written_bytes = 0;
};

struct Operations {
  /// Products of the array, padded channels included.
  std::uint64_t array_macs = 0;
  /// Counts by vector operation: steps times lanes.
  std::array<std::uint64_t, isa::kVectorOps.size()> lane_steps{};
  std::array<Access, isa::kBuffers.size()> sram{};  ///< accesses by buffer

  Operations& operator+=(const Operations& other);
};

Operations operations_of(const isa::Program& program);

}  // namespace vdla::explore
