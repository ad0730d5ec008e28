// SPDX-License-Identifier: Apache-2.0
// Choices of a user for the cycle-level engine.
#pragma once

#include "sim/cycle/stalls.h"

namespace vdla::sim {

struct CycleOptions {
  /// Only work that steers time is done on data (micro-ops are loaded): outputs mean nothing, and no fault of
  /// a data path is found. Cycles are the same.
  bool timing_only = false;
  /// Instruction queues and token channels are held back. Results do not depend on it, cycles do.
  Stalls stalls{};
};

}  // namespace vdla::sim
