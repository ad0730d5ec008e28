// SPDX-License-Identifier: Apache-2.0
// The cycle-level engine: SystemC inside, the contract outside.
#pragma once

#include <memory>

#include "sim/contract.h"
#include "sim/cycle/options.h"
#include "sim/memory.h"

namespace vdla::sim {

class CycleEngine : public Engine {
 public:
  /// Delays transfers between units, as `stalls` says, from the next start on; Stalls{} ends that.
  virtual void stall(const Stalls& stalls) = 0;
};

/// Throws UserError for a timing that the hardware cannot have.
std::unique_ptr<CycleEngine> make_cycle_engine(const isa::Variant& variant, Memory memory = {},
                                               const CycleOptions& options = {});

}  // namespace vdla::sim
