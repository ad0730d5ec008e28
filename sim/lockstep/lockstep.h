// SPDX-License-Identifier: Apache-2.0
// Runs one program on several engines and stops at the first difference: retires of each unit in its program
// order with the digest of what each instruction wrote, the final status, memory behind the windows, and on
// wish the cycles of the retires.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/lockstep/job.h"

namespace vdla::sim {

struct LockstepOptions {
  std::uint64_t cycle_limit = 100'000'000;
  std::uint64_t slice = 20'000;  ///< cycles between two comparisons
  bool compare_writes = true;    ///< digests of instructions, and memory at the end
  /// Compares digests of instructions; without them memory at the end alone. Build gates of the RTL engine
  /// has none.
  bool compare_digests = true;
  /// Retires of engines that have time must fall into the same cycle, counted from the start, and counters
  /// must be equal at the end.
  bool compare_cycles = false;
};

struct LockstepResult {
  bool equal = false;
  std::string difference;             ///< the first one, in words; empty when equal
  std::vector<std::uint64_t> cycles;  ///< cycles by engine
  std::uint64_t retires = 0;          ///< compared and equal
};

/// The engines are of the same geometry; each is compared with the first. What they do is dropped before the
/// program starts, and traces are switched off afterwards.
LockstepResult run_lockstep(std::span<Engine* const> engines, const Job& job,
                            const LockstepOptions& options = {});
LockstepResult run_lockstep(Engine& a, Engine& b, const Job& job, const LockstepOptions& options = {});

}  // namespace vdla::sim
