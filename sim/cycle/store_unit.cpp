// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/store_unit.h"

#include <algorithm>

namespace vdla::sim {

StoreUnit::StoreUnit(sc_core::sc_module_name name, const UnitLinks& links, const isa::Windows& windows,
                     dram::Dram& dram, SramPorts& ports, const Cycle& horizon)
    : QueueUnit(name, isa::Unit::Store, links, trace::Activity::Memory),
      dram_(dram),
      ports_(ports),
      request_(links.geometry, windows, dram.config().burst_bytes),
      timeline_(links.geometry),
      time_(horizon) {
  SC_HAS_PROCESS(StoreUnit);
  SC_THREAD(run_bursts);
  request_.tell(bursts_came_);
}

void StoreUnit::wait_ready(const QueuedInsn&) {
  wait_for_walker(request_, timeline_, kWaitingDepth, progress_);
}

void StoreUnit::begin(const QueuedInsn& queued) {
  const auto& insn = std::get<isa::MemoryInsn>(queued.insn);
  timeline_.record(links().reporter.on());
  timeline_.start(now(), std::uint64_t{insn.x_count} * insn.y_count * insn.z_count * insn.run);
  request_.start(queued);
  report_reads();
}

void StoreUnit::report_reads() {
  if (!timeline_.reads().empty()) ports_.store_reads(timeline_.reads());
  for (const Cycle read : timeline_.reads()) spans().reason(trace::Activity::Busy, 0, read, read + 1);
  for (const Cycle beat : timeline_.beats()) spans().reason(trace::Activity::Busy, 0, beat, beat + 1);
  timeline_.forget_reads();
  timeline_.forget_beats();
  progress_.ring();
}

/// The packer takes a burst when it is free; the burst goes to the bus with its first beat, its address
/// stands before the memory in the cycle after that and is taken at once.
void StoreUnit::run_bursts() {
  for (;;) {
    while (!request_.visible_at()) {
      bursts_came_.wait();
      time_.catch_up();
    }
    const Cycle loaded = std::max(*request_.visible_at(), timeline_.free());
    const BurstRequest request = request_.take(loaded);
    const Cycle first = timeline_.load(request.address, request.bytes, loaded);
    report_reads();
    // Reads are accepted first of two addresses in one cycle.
    time_.go_to(first + 1);
    if (time_.at() == now() && sc_core::sc_pending_activity_at_current_time()) {
      sc_core::wait(sc_core::SC_ZERO_TIME);
      time_.catch_up();
    }
    const unsigned beats = dram::beats_of(request.address, request.bytes, kBusBytes);
    const dram::Burst burst = dram_.write(time_.at(), beats);
    const Cycle last = timeline_.send(burst);
    report_reads();
    bytes_ += std::uint64_t{beats} * kBusBytes;
    const Cycle response = last + dram_.config().write_response;
    report_burst(links().reporter, isa::Unit::Store, request, true, time_.at(), last + 1);
    if (request.last) completes(response);
  }
}

}  // namespace vdla::sim
