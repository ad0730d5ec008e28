// SPDX-License-Identifier: Apache-2.0
// The gemm unit: one step each cycle, instructions back to back, a pipeline of four stages behind the
// counters.
#pragma once

#include "sim/cycle/sram_ports.h"
#include "sim/cycle/unit.h"

namespace vdla::sim {

class GemmUnit final : public QueueUnit {
 public:
  GemmUnit(sc_core::sc_module_name name, const UnitLinks& links, const isa::Sram& sram, SramPorts& ports);

 private:
  void wait_ready(const QueuedInsn& insn) override;
  void begin(const QueuedInsn& insn) override;

  const isa::Sram& sram_;
  SramPorts& ports_;
  Cycle next_start_ = 0;
};

}  // namespace vdla::sim
