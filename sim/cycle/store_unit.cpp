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
  SC_THREAD(run_packer);
  SC_THREAD(run_addresses);
}

void StoreUnit::wait_ready(const QueuedInsn&) {
  for (;;) {
    if (request_.busy()) {
      sc_core::wait(request_.free());
    } else if (timeline_.waiting(now()) >= kWaitingDepth) {
      const auto taken = timeline_.next_taken(now());
      if (taken)
        wait_until(*taken + 1);
      else
        sc_core::wait(progress_);
    } else {
      return;
    }
  }
}

void StoreUnit::begin(const QueuedInsn& queued) {
  const auto& insn = std::get<isa::MemoryInsn>(queued.insn);
  timeline_.start(now(), std::uint64_t{insn.x_count} * insn.y_count * insn.z_count * insn.run);
  request_.start(queued);
  report_reads();
}

void StoreUnit::report_reads() {
  for (const Cycle read : timeline_.pop_reads()) on_read_(read);
  progress_.notify(sc_core::SC_ZERO_TIME);
}

/// The packer: a burst goes to the bus with its first beat.
void StoreUnit::run_packer() {
  for (;;) {
    request_.bursts().wait_pop();
    wait_until(timeline_.free());
    const BurstRequest request = request_.bursts().pop();
    const Cycle first = timeline_.load(request.address, request.bytes, now());
    report_reads();
    wait_until(first);
    addresses_.push(request);
    if (dram::beats_of(request.address, request.bytes, kBusBytes) > 1) sc_core::wait(sent_);
  }
}

/// The address stands before the memory in the cycle after the first beat, and is taken at once.
void StoreUnit::run_addresses() {
  for (;;) {
    addresses_.wait_pop();
    const BurstRequest request = addresses_.pop();
    sc_core::wait(sc_core::SC_ZERO_TIME);  // of two addresses in one cycle the read is accepted first
    const unsigned beats = dram::beats_of(request.address, request.bytes, kBusBytes);
    const dram::Burst burst = dram_.write(now(), beats);
    const Cycle last = timeline_.send(burst);
    sent_.notify(sc_core::SC_ZERO_TIME);
    report_reads();
    bytes_ += std::uint64_t{beats} * kBusBytes;
    const Cycle response = last + dram_.config().write_response;
    report_burst(links().reporter, isa::Unit::Store, request, true, now(), last + 1);
    spans().minor(trace::Activity::Busy, request.insn, now() - 1, last + 1);
    spans().minor(trace::Activity::Memory, request.insn, now() - 1, response + 1);
    if (request.last) completes(response);
  }
}

}  // namespace vdla::sim
