// SPDX-License-Identifier: Apache-2.0
// The load unit: a walker asks for bursts, a receiver places data and padding; the next instruction's
// requests go out while data of this one arrive.
#pragma once

#include "sim/cycle/dma_request.h"
#include "sim/cycle/load_timeline.h"
#include "sim/cycle/sram_ports.h"

namespace vdla::sim {

class LoadUnit final : public QueueUnit {
 public:
  /// `burst_bytes`: of the longest burst.
  LoadUnit(sc_core::sc_module_name name, const UnitLinks& links, const isa::Windows& windows,
           unsigned burst_bytes, SramPorts& ports);

  /// For the read port.
  ReadClient read_client();

 private:
  static constexpr unsigned kWaitingDepth = 4;

  void wait_ready(const QueuedInsn& insn) override;
  void begin(const QueuedInsn& insn) override;
  Cycle take(const BurstRequest& request, const dram::Burst& burst, Cycle earliest);
  void report();

  SramPorts& ports_;
  DmaRequest request_;
  LoadTimeline timeline_;
  Doorbell progress_;
};

}  // namespace vdla::sim
