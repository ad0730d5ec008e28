// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/load_unit.h"

namespace vdla::sim {

LoadUnit::LoadUnit(sc_core::sc_module_name name, const UnitLinks& links, const isa::Windows& windows,
                   unsigned burst_bytes, SramPorts& ports)
    : QueueUnit(name, isa::Unit::Load, links, trace::Activity::Memory),
      ports_(ports),
      request_(links.geometry, windows, burst_bytes),
      timeline_(links.geometry) {}

ReadClient LoadUnit::read_client() {
  return {request_, [this](const BurstRequest& r, const dram::Burst& b, Cycle c) { return take(r, b, c); },
          isa::Unit::Load};
}

void LoadUnit::wait_ready(const QueuedInsn&) {
  wait_for_walker(request_, timeline_, kWaitingDepth, progress_);
}

void LoadUnit::begin(const QueuedInsn& insn) {
  timeline_.record(links().reporter.on());
  timeline_.start(insn.index, std::get<isa::MemoryInsn>(insn.insn), now());
  request_.start(insn);
  report();
}

Cycle LoadUnit::take(const BurstRequest& request, const dram::Burst& burst, Cycle earliest) {
  const Cycle last = timeline_.take(burst, request.address % kBusBytes, request.bytes, earliest);
  report();
  return last;
}

void LoadUnit::report() {
  for (const LoadTimeline::Steps& s : timeline_.steps()) {
    ports_.load_steps(s.buffer, s.begin, s.end);
    spans().reason(trace::Activity::Busy, s.insn, s.begin, s.end);
  }
  timeline_.forget_steps();
  while (const auto done = timeline_.pop_done()) completes(*done);
  progress_.ring();
}

}  // namespace vdla::sim
