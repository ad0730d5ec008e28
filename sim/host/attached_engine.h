// SPDX-License-Identifier: Apache-2.0
// An engine as a device of a host that has a clock of its own: accesses to its registers, its time, and what
// a run on it cost.
#pragma once

#include <cstdint>
#include <string>

#include "sim/contract.h"

namespace vdla::sim {

/// Counts at a device since it was attached.
struct AttachedCounts {
  std::uint64_t reads = 0, writes = 0;  ///< accesses of registers
  std::uint64_t runs = 0;               ///< programs that ended, well or not
  std::uint64_t cycles = 0;             ///< cycles of all programs; 0 of an engine without time
  std::uint64_t last_cycles = 0;        ///< cycles of the last program
  std::uint64_t interrupts = 0;         ///< times that the line rose
};

/// Refers to the engine, which must live longer.
class AttachedEngine {
 public:
  explicit AttachedEngine(Engine& engine) : engine_(engine) {}

  std::uint32_t read(std::uint32_t offset);
  void write(std::uint32_t offset, std::uint32_t value);

  /// A program runs: time shall pass.
  bool active() const { return active_; }
  /// Lets a slice of the machine's time pass.
  void advance();
  bool interrupt();

  const AttachedCounts& counts() const { return counts_; }
  /// Text of what each unit waits for when nothing can happen any more; empty: that did not come about.
  const std::string& stuck() const { return stuck_; }

 private:
  void note_end();

  Engine& engine_;
  AttachedCounts counts_;
  std::string stuck_;
  bool active_ = false;
  bool high_ = false;
};

}  // namespace vdla::sim
