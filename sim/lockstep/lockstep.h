// SPDX-License-Identifier: Apache-2.0
// Runs one program on two engines and stops at the first difference: retires of each unit in its program
// order, the final status, memory behind the windows, and on wish the cycles of the retires.
#pragma once

#include <cstdint>
#include <string>

#include "sim/lockstep/job.h"

namespace vdla::sim {

struct LockstepOptions {
  std::uint64_t cycle_limit = 100'000'000;
  std::uint64_t slice = 20'000;  ///< cycles between two comparisons
  bool compare_cycles = false;   ///< retires must fall into the same cycle, counted from the start
};

struct LockstepResult {
  bool equal = false;
  std::string difference;  ///< the first one, in words; empty when equal
  std::uint64_t cycles[2] = {0, 0};
  std::uint64_t retires = 0;  ///< compared and equal
};

/// Both engines are of the same geometry and not running. Traces are switched off afterwards.
LockstepResult run_lockstep(Engine& a, Engine& b, const Job& job, const LockstepOptions& options = {});

}  // namespace vdla::sim
