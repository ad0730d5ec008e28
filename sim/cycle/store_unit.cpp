// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/store_unit.h"

namespace vdla::sim {

StoreUnit::StoreUnit(sc_core::sc_module_name name, const UnitLinks& links, const isa::Windows& windows,
                     dram::Dram& dram, std::function<void(Cycle)> on_read)
    : QueueUnit(name, isa::Unit::Store, links),
      dram_(dram),
      on_read_(std::move(on_read)),
      request_("request", links.geometry, windows),
      timeline_(links.geometry) {
  SC_HAS_PROCESS(StoreUnit);
  SC_THREAD(run_bursts);
}

void StoreUnit::wait_ready(const QueuedInsn&) {
  for (;;) {
    if (request_.busy())
      sc_core::wait(request_.free());
    else if (waiting_.size() >= kWaitingDepth)
      sc_core::wait(progress_);
    else
      return;
  }
}

void StoreUnit::begin(const QueuedInsn& insn) {
  waiting_.push_back(now());
  request_.start(insn);
}

void StoreUnit::report_reads() {
  for (const Cycle read : timeline_.pop_reads())
    if (read >= now()) on_read_(read);
}

void StoreUnit::run_bursts() {
  for (;;) {
    request_.bursts().wait_pop();
    wait_until(timeline_.free());
    const BurstRequest request = request_.bursts().pop();
    if (!packing_) {
      timeline_.start(waiting_.front() + 1);
      waiting_.pop_front();
      progress_.notify(cycles(1));
    }
    packing_ = !request.last;
    const Cycle first = timeline_.load(request.address, request.bytes, now());
    report_reads();
    // The address stands before the memory in the next cycle, and is taken at once.
    wait_until(first + 1);
    const unsigned beats = dram::beats_of(request.address, request.bytes, kBusBytes);
    const dram::Burst burst = dram_.write(now(), beats);
    const Cycle last = timeline_.send(burst);
    report_reads();
    bytes_ += std::uint64_t{beats} * kBusBytes;
    report_burst(links().reporter, isa::Unit::Store, request, true, now(), last + 1);
    spans().minor(trace::Activity::Memory, request.insn, now(), last + 1 + dram_.config().write_response);
    spans().major(trace::Activity::Busy, request.insn, first, timeline_.free() + 1);
    if (request.last) completes(last + dram_.config().write_response);
  }
}

}  // namespace vdla::sim
