// SPDX-License-Identifier: Apache-2.0
// The walker that turns the DRAM side of a LOAD or STORE into bursts, as the RTL's vdla_dma_request: it looks
// at one part of a run in each cycle; a burst leaves when the next part does not join it.
#pragma once

#include "sim/cycle/memory_port.h"
#include "sim/cycle/unit.h"

namespace vdla::sim {

class DmaRequest final : public sc_core::sc_module {
 public:
  DmaRequest(sc_core::sc_module_name name, const isa::Geometry& geometry, const isa::Windows& windows);

  bool busy() const { return busy_; }
  const sc_core::sc_event& free() const { return free_; }
  /// Takes an instruction in this cycle; needs !busy().
  void start(const QueuedInsn& insn);
  Channel<BurstRequest>& bursts() { return bursts_; }

 private:
  static constexpr std::size_t kBurstQueue = 4;

  void run();

  const isa::Geometry& geometry_;
  const isa::Windows& windows_;
  Channel<BurstRequest> bursts_{kBurstQueue};
  QueuedInsn insn_;
  bool busy_ = false;
  sc_core::sc_event started_, free_;
};

}  // namespace vdla::sim
