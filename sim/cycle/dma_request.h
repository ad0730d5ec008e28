// SPDX-License-Identifier: Apache-2.0
// The walker that turns the DRAM side of a LOAD or STORE into bursts, as the RTL's vdla_dma_request with its
// queue of four: it looks at one part of a run in each cycle; a burst leaves when the next part does not join
// it and the queue has room. Worked out when instructions start and bursts are taken; no process of its own.
#pragma once

#include <deque>
#include <optional>

#include "sim/cycle/channel.h"
#include "sim/cycle/memory_port.h"
#include "sim/cycle/unit.h"

namespace vdla::sim {

class DmaRequest final : public BurstSource {
 public:
  DmaRequest(const isa::Geometry& geometry, const isa::Windows& windows)
      : geometry_(geometry), windows_(windows) {}

  /// First cycle in which an instruction can start, if known.
  std::optional<Cycle> free_at() const;
  /// Rings when free_at() becomes known.
  Doorbell& progress() { return progress_; }
  /// Takes an instruction in this cycle; needs free_at() to have come.
  void start(const QueuedInsn& insn);

  std::optional<Cycle> visible_at() const override;
  BurstRequest take(Cycle at) override;

 private:
  static constexpr std::size_t kQueue = 4;
  struct Walked {
    BurstRequest request;
    unsigned parts;
  };

  void walk();

  const isa::Geometry& geometry_;
  const isa::Windows& windows_;
  std::deque<Walked> walking_;                        ///< bursts whose place in time is not known
  std::deque<std::pair<Cycle, BurstRequest>> queue_;  ///< with the cycle from which on each can be taken
  std::deque<Cycle> taken_;                           ///< of the latest bursts
  Cycle last_ = 0;  ///< cycle in which the latest left; at the start of an instruction: the one to count from
  Doorbell progress_;
};

}  // namespace vdla::sim
