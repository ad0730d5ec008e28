// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/gemm_unit.h"

namespace vdla::sim {

GemmUnit::GemmUnit(sc_core::sc_module_name name, const UnitLinks& links, const isa::Sram& sram,
                   SramPorts& ports)
    : QueueUnit(name, isa::Unit::Gemm, links, trace::Activity::Setup), sram_(sram), ports_(ports) {}

void GemmUnit::wait_ready(const QueuedInsn&) { wait_until(next_start_); }

void GemmUnit::begin(const QueuedInsn& queued) {
  GemmSteps steps(std::get<isa::GemmInsn>(queued.insn), sram_, now() + 1);
  spans().reason(trace::Activity::Busy, queued.index, steps.begin(), steps.end());
  next_start_ = steps.end() - 1;  // this is the cycle of the last step
  completes(steps.end() - 1 + GemmSteps::kAccWrite);
  ports_.gemm_steps(std::move(steps));
}

}  // namespace vdla::sim
