// SPDX-License-Identifier: Apache-2.0
// The vector unit: its timeline runs ahead under the assumption that no other unit begins to use a shared
// port, and is looked at again when SramPorts tells of one that does.
#pragma once

#include "sim/cycle/sram_ports.h"
#include "sim/cycle/unit.h"
#include "sim/cycle/vector_timeline.h"

namespace vdla::sim {

class VectorUnit final : public QueueUnit {
 public:
  VectorUnit(sc_core::sc_module_name name, const UnitLinks& links, SramPorts& ports);

 private:
  void reset() override { ahead_.reset(); }
  void wait_ready(const QueuedInsn& insn) override;
  void begin(const QueuedInsn& insn) override;
  void tell_work() override { catch_up(); }
  void run_done();
  /// Simulates what is certain: all cycles before this one.
  void catch_up();
  /// Works out again what was worked out before the latest change of ports.
  void drop_outdated();
  void look_ahead();

  SramPorts& ports_;
  VectorTimeline timeline_;
  std::uint64_t started_ = 0, reported_ = 0;
  /// Timeline gone on to the next completion, which holds if no other unit does anything.
  std::optional<VectorTimeline> ahead_;
  VectorTimeline at_ready_;  ///< timeline in cycle ready_at_
  Cycle ready_at_ = 0, done_at_ = 0;
  std::uint64_t ahead_done_ = 0;    ///< completions that done_at_ includes
  std::uint64_t seen_changes_ = 0;  ///< changes of ports that ahead_ knows
  Doorbell begun_;
};

}  // namespace vdla::sim
