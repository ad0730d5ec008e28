// SPDX-License-Identifier: Apache-2.0
// The vector unit: its timeline runs ahead under the assumption that no other unit begins to use a shared
// port, and is looked at again when one does.
#pragma once

#include <span>

#include "sim/cycle/unit.h"
#include "sim/cycle/vector_timeline.h"

namespace vdla::sim {

class VectorUnit final : public QueueUnit {
 public:
  VectorUnit(sc_core::sc_module_name name, const UnitLinks& links);

  /// Other units tell of their use of ports, at the latest in the cycle before it; what is told later is not
  /// seen.
  void gemm_steps(GemmSteps steps);
  void load_steps(isa::Buffer buffer, Cycle begin, Cycle end);
  void store_reads(std::span<const Cycle> reads);

 private:
  void reset() override { ahead_.reset(); }
  void wait_ready(const QueuedInsn& insn) override;
  void begin(const QueuedInsn& insn) override;
  void tell_work() override { catch_up(); }
  void run_done();
  /// Simulates what is certain: all cycles before this one.
  void catch_up();
  void ports_changed(bool matters);
  void look_ahead();

  PortUse ports_;
  VectorTimeline timeline_;
  std::uint64_t started_ = 0, reported_ = 0;
  /// What will happen if nobody else does anything: the timeline gone on to the next completion.
  std::optional<VectorTimeline> ahead_;
  VectorTimeline at_ready_;  ///< the same, in cycle ready_at_
  Cycle ready_at_ = 0, done_at_ = 0;
  std::uint64_t ahead_done_ = 0;  ///< completions that done_at_ includes
  /// What the instructions since the unit was last idle use.
  struct Uses {
    bool acc = false, inp_read = false, out_read = false, inp_write = false, out_write = false;
  };
  Uses uses_;
  unsigned changes_ = 0;  ///< of ports while the unit was idle
  Doorbell ports_changed_, begun_;
};

}  // namespace vdla::sim
