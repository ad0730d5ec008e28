// SPDX-License-Identifier: Apache-2.0
// Abstract execution of a stream up to its first finish: queues and channels of the geometry's depth, no
// time. The network of units is determinate, so one execution shows whether any can stand still, and which
// push each pop takes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "isa/codec/insn.h"
#include "isa/spec/geometry.h"

namespace vdla::isa {

/// Number of instructions of each queue unit, counted from the start of the entry, that have completed for
/// certain.
using Clock = std::array<std::int32_t, kQueueUnits>;

struct UnitWait {
  Unit unit = Unit::Load;
  std::uint32_t insn = 0;
  unsigned pops = 0;    ///< producers whose token is missing
  unsigned pushes = 0;  ///< consumers whose channel is full
};

struct TokenLeft {
  Unit from = Unit::Load;
  Unit to = Unit::Load;
  std::uint32_t insn = 0;  ///< instruction that pushed it
};

struct TokenRun {
  std::vector<Clock> started;           ///< per instruction: what has completed when it starts
  std::vector<std::int32_t> positions;  ///< place of the instruction in its unit's order
  /// The instructions of units that start at all, in an order that the tokens allow: as the program is
  /// written where they do.
  std::vector<std::uint32_t> order;
  std::vector<UnitWait> waits;  ///< not empty: deadlock
  std::vector<TokenLeft> left;
  std::uint32_t next_fetch = 0;  ///< first instruction that was not dispatched
};

TokenRun run_tokens(std::span<const Insn> insns, const Geometry& geometry);

}  // namespace vdla::isa
