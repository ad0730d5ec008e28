// SPDX-License-Identifier: Apache-2.0
// The store unit with the AXI write master behind it: an instruction is complete when the response to its
// last burst has come.
#pragma once

#include "sim/cycle/dma_request.h"
#include "sim/cycle/sram_ports.h"
#include "sim/cycle/store_timeline.h"

namespace vdla::sim {

class StoreUnit final : public QueueUnit {
 public:
  StoreUnit(sc_core::sc_module_name name, const UnitLinks& links, const isa::Windows& windows,
            dram::Dram& dram, SramPorts& ports, const Cycle& horizon);

  /// Bytes of the beats sent since the start.
  std::uint64_t bytes() const { return bytes_; }

 private:
  static constexpr unsigned kWaitingDepth = 4;

  void reset() override { bytes_ = 0; }
  void wait_ready(const QueuedInsn& insn) override;
  void begin(const QueuedInsn& insn) override;
  void run_bursts();
  void report_reads();

  dram::Dram& dram_;
  SramPorts& ports_;
  DmaRequest request_;
  StoreTimeline timeline_;
  Doorbell progress_, bursts_came_;
  std::uint64_t bytes_ = 0;
  LocalTime time_;
};

}  // namespace vdla::sim
