// SPDX-License-Identifier: Apache-2.0
// The cycle-level engine: SystemC inside, the contract outside.
#pragma once

#include <memory>

#include "sim/contract.h"

namespace vdla::sim {

struct CycleOptions {
  /// Only work that steers time is done on data (micro-ops are loaded): outputs mean nothing, and no fault of
  /// a data path is found. Cycles are the same.
  bool timing_only = false;
};

/// Throws UserError for a timing that the hardware cannot have.
std::unique_ptr<Engine> make_cycle_engine(const isa::Variant& variant,
                                          std::uint64_t memory_bytes = kDefaultMemoryBytes,
                                          const CycleOptions& options = {});

}  // namespace vdla::sim
