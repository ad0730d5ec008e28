// SPDX-License-Identifier: Apache-2.0
// The vector unit's control, cycle by cycle as the RTL's vdla_vector_issue and vdla_vector: which step goes
// when, held back by hazards, shared ports and the reading of scale parameters. Plain C++; a copy can run
// ahead to see what will happen if nothing else does.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "isa/codec/insn.h"
#include "isa/semantics/nest.h"
#include "isa/spec/operations.h"
#include "sim/cycle/ports.h"

namespace vdla::sim {

// Long: when steps go follows from the ports, banks and instructions of all steps before.
class VectorTimeline {
 public:
  using Cycle = std::uint64_t;
  /// Steps or waits of an instruction in cycles [begin, end).
  struct Interval {
    std::uint32_t insn;
    bool stall;  ///< waits for a port; otherwise a step goes
    Cycle begin, end;
  };

  explicit VectorTimeline(unsigned acc_depth) : half_(acc_depth / isa::kAccBanks) {}

  /// The next cycle to simulate.
  Cycle cycle() const { return cycle_; }
  /// An instruction is taken in a cycle that is not yet simulated and in which ready_at() holds.
  void start(std::uint32_t index, const isa::VectorInsn& insn, Cycle at);

  /// Simulates all cycles before `limit`.
  void run(const PortUse& ports, Cycle limit);
  /// Simulates until an instruction can be taken in cycle(), which is not simulated, but not beyond `limit`.
  void run_to_ready(const PortUse& ports, Cycle limit);
  /// Simulates until `count` instructions have completed since the beginning; returns the cycle of the last
  /// one's completion.
  Cycle run_to_done(const PortUse& ports, std::uint64_t count);

  std::uint64_t done() const { return done_; }
  void record(bool on) { recording_ = on; }
  std::vector<Interval> pop_intervals() { return std::exchange(intervals_, {}); }

 private:
  struct Step {
    bool valid = false;
    bool first = false, last = false, reads_acc = false;
    isa::Buffer dst_buffer = isa::Buffer::Acc;
    std::uint16_t dst = 0;
  };
  /// Actions of the stages in one cycle.
  struct Decision {
    bool stall, go, port_stall, step0, fetch_par;
  };

  bool idle() const { return !active_ && !valid1_ && in_pipe_ == 0 && par_state_ == 0 && !pending_; }
  bool nest_last() const;
  Decision decide(const PortUse& ports) const;
  void step(const PortUse& ports);
  bool skip(const PortUse& ports, Cycle limit);
  bool skip_stall(const PortUse& ports, Cycle limit);
  bool skip_drain(const PortUse& ports, Cycle limit);
  bool skip_steps(const PortUse& ports, Cycle limit);
  bool scale_ready() const {
    return !isa::operation_of(insn1_.op).keeps_b() || (par_valid_ && par_b_ == b1_);
  }
  Cycle operand_free(const PortUse& ports) const;
  Cycle held_back(const PortUse& ports) const;
  void shift();
  std::uint64_t plain_steps() const;
  Cycle quiet_until(const PortUse& ports) const;
  void apply(const Decision& d);
  void advance_nest();
  void note(bool stall, Cycle end);
  const Step& stage(unsigned s) const { return pipe_[(head_ + s - 2) & 7]; }
  bool hazard() const;
  unsigned banks_of(const isa::VectorInsn& insn) const;
  unsigned bank(std::uint16_t acc) const { return acc / half_ & 1; }

  unsigned half_;
  Cycle cycle_ = 0;
  std::uint64_t done_ = 0;
  std::array<Cycle, 32> done_at_{};  ///< ends of the latest instructions
  // An instruction that is taken in a cycle to come.
  std::optional<isa::VectorInsn> pending_;
  Cycle pending_at_ = 0;
  std::uint32_t pending_index_ = 0;
  // Stage 0.
  bool active_ = false, begin_ = false;
  isa::VectorInsn insn_{};
  unsigned banks_ = 0;  ///< banks of acc that it may touch
  std::uint32_t index_ = 0;
  isa::Counters counters_{};
  isa::VectorStep at_{};  ///< the step at the counters
  // Stage 1.
  bool valid1_ = false;
  Step step1_{};
  isa::VectorInsn insn1_{};
  std::uint32_t index1_ = 0;
  std::uint16_t a1_ = 0, b1_ = 0;
  bool par_valid_ = false;
  std::uint16_t par_b_ = 0;
  unsigned par_state_ = 0;
  // Stages 2 to 9.
  std::array<Step, 8> pipe_{};
  unsigned head_ = 0;  ///< place of stage 2
  unsigned in_pipe_ = 0;
  bool recording_ = false;
  std::vector<Interval> intervals_;
};

}  // namespace vdla::sim
