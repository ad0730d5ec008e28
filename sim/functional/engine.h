// SPDX-License-Identifier: Apache-2.0
// The functional engine: every instruction at once, in the order of a deterministic round robin over the
// units, respecting queues and tokens. Its time counts instructions. For checks, a checker watches it, and a
// scheduler takes the place of the round robin.
#pragma once

#include <memory>
#include <span>

#include "sim/contract.h"
#include "sim/functional/simd.h"
#include "sim/memory.h"

namespace vdla::sim {

/// Chooses an order of execution among those that queues and tokens allow.
class Scheduler {
 public:
  virtual ~Scheduler() = default;
  /// Chooses the unit that executes its next instruction, of those that have all its tokens: a place in
  /// `ready`, which has one unit at least, in ascending order.
  virtual std::size_t choose(std::span<const isa::Unit> ready) = 0;
};

class Checker;

/// Objects that the engine calls while it runs. Each may be null, and must outlive the engine.
struct FunctionalHooks {
  Checker* checker = nullptr;
  Scheduler* scheduler = nullptr;
};

std::unique_ptr<Engine> make_functional_engine(const isa::Variant& variant, Memory memory = {},
                                               Simd simd = best_simd(), FunctionalHooks hooks = {});

}  // namespace vdla::sim
