// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/memory_port.h"

#include <algorithm>

namespace vdla::sim {

ReadPort::ReadPort(sc_core::sc_module_name name, dram::Dram& dram, ReadClient fetch, ReadClient load,
                   const Reporter& reporter, const Cycle& horizon)
    : sc_module(name),
      dram_(dram),
      fetch_(std::move(fetch)),
      load_(std::move(load)),
      reporter_(reporter),
      time_(horizon) {
  SC_HAS_PROCESS(ReadPort);
  SC_THREAD(run);
  fetch_.bursts.tell(more_);
  load_.bursts.tell(more_);
}

/// The client whose burst is taken, in the cycle that time_ comes to.
ReadClient& ReadPort::wait_burst() {
  for (;;) {
    const auto fetch = fetch_.bursts.visible_at(), load = load_.bursts.visible_at();
    if (fetch && *fetch <= time_.at()) return fetch_;
    if (load && *load <= time_.at()) return load_;
    const Cycle next = std::min(fetch.value_or(~Cycle{0}), load.value_or(~Cycle{0}));
    if ((fetch || load) && time_.quiet_until(next)) {
      time_.skip_to(next);
      continue;
    }
    if (fetch || load)
      more_.wait_until(next);
    else
      more_.wait();
    time_.catch_up();
  }
}

void ReadPort::run() {
  for (;;) {
    if (owners_.size() == kOwners) time_.go_to(owners_.front() + 1);
    ReadClient& client = wait_burst();
    const BurstRequest request = client.bursts.take(time_.at());
    // The address stands in a register in the next cycle, until the memory accepts it; then the next one may
    // follow.
    time_.go_to(dram_.read_accepted(time_.at() + 1));
    const unsigned beats = dram::beats_of(request.address, request.bytes, kBusBytes);
    const dram::Burst burst = dram_.read(time_.at(), beats);
    const Cycle last = client.take(request, burst, channel_free_);
    dram_.postpone_read(last);
    channel_free_ = last + 1;
    owners_.push_latest(last);
    bytes_ += std::uint64_t{beats} * kBusBytes;
    report_burst(reporter_, client.unit, request, false, time_.at(), last + 1);
  }
}

void report_burst(const Reporter& reporter, isa::Unit unit, const BurstRequest& request, bool write,
                  Cycle begin, Cycle end) {
  if (!reporter.on()) return;
  trace::Event e;
  e.type = trace::EventType::Burst;
  e.unit = unit;
  e.insn = request.insn;
  e.write = write;
  e.begin = begin;
  e.end = end;
  e.bytes = std::uint64_t{dram::beats_of(request.address, request.bytes, kBusBytes)} * kBusBytes;
  e.address = request.address / kBusBytes * kBusBytes;
  reporter.emit(e);
}

}  // namespace vdla::sim
