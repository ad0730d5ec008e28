// SPDX-License-Identifier: Apache-2.0
// The walker that turns the DRAM side of a LOAD or STORE into bursts, as the RTL's vdla_dma_request with its
// queue of four: it looks at one part of a run in each cycle; a burst leaves when the next part does not join
// it and the queue has room. Worked out when instructions start and bursts are taken; no process of its own.
#pragma once

#include <optional>

#include "sim/cycle/bursts.h"
#include "sim/cycle/channel.h"
#include "sim/cycle/memory_port.h"
#include "sim/cycle/ring.h"
#include "sim/cycle/unit.h"

namespace vdla::sim {

class DmaRequest final : public BurstSource {
 public:
  /// `burst_bytes`: of the longest burst.
  DmaRequest(const isa::Geometry& geometry, const isa::Windows& windows, unsigned burst_bytes)
      : geometry_(geometry), windows_(windows), burst_bytes_(burst_bytes) {}

  /// First cycle in which an instruction can start, if known.
  std::optional<Cycle> free_at() const;
  /// Rings when free_at() becomes known.
  Doorbell& progress() { return progress_; }
  /// Takes an instruction in this cycle; needs free_at() to have come.
  void start(const QueuedInsn& insn);

  std::optional<Cycle> visible_at() const override {
    if (queue_.empty()) return std::nullopt;
    return queue_.front().visible;
  }
  BurstRequest take(Cycle at) override;

 private:
  static constexpr std::size_t kQueue = 4;
  struct Queued {
    Cycle visible;  ///< from which on it can be taken
    BurstRequest request;
  };

  void walk();

  const isa::Geometry& geometry_;
  const isa::Windows& windows_;
  unsigned burst_bytes_;
  BurstWalker walker_;  ///< gives the bursts whose place in time is not known
  std::uint32_t insn_ = 0;
  Ring<Queued, kQueue> queue_;
  Ring<Cycle, kQueue> taken_;  ///< cycles in which the latest bursts were taken
  Cycle last_ = 0;  ///< cycle in which the latest left; at the start of an instruction: the one to count from
  Doorbell progress_;
};

/// Suspends a unit until its walker takes an instruction and fewer than `depth` wait for the data's place in
/// time, which rings `progress` when it knows more.
template <class Timeline>
void wait_for_walker(DmaRequest& request, const Timeline& timeline, unsigned depth, Doorbell& progress) {
  for (;;) {
    const auto free = request.free_at();
    const auto taken = timeline.next_taken(now());
    if (!free)
      sc_core::wait(request.progress().event());
    else if (*free > now())
      wait_until(*free);
    else if (timeline.waiting(now()) < depth)
      return;
    else if (taken)
      wait_until(*taken + 1);
    else
      sc_core::wait(progress.event());
  }
}

}  // namespace vdla::sim
