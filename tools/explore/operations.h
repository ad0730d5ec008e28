// SPDX-License-Identifier: Apache-2.0
// What a program makes the machine do, counted from its instructions: the activity that an energy model
// wants.
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
  std::uint64_t array_macs = 0;                                    ///< of the array, padded channels included
  std::array<std::uint64_t, isa::kVectorOps.size()> lane_steps{};  ///< by vector operation: steps times lanes
  std::array<Access, isa::kBuffers.size()> sram{};                 ///< by buffer

  Operations& operator+=(const Operations& other);
};

Operations operations_of(const isa::Program& program);

}  // namespace vdla::explore
