// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/vector_unit.h"

#include <algorithm>

namespace vdla::sim {

VectorUnit::VectorUnit(sc_core::sc_module_name name, const UnitLinks& links)
    : QueueUnit(name, isa::Unit::Vector, links), timeline_(links.geometry.acc_depth) {
  SC_HAS_PROCESS(VectorUnit);
  SC_THREAD(run_done);
}

void VectorUnit::catch_up() {
  timeline_.record(links().reporter.on());
  timeline_.run(ports_, now());
  ports_.forget(now());
  for (const VectorTimeline::Interval& i : timeline_.pop_intervals())
    spans().major(i.stall ? trace::Activity::Bank : trace::Activity::Busy, i.insn, i.begin, i.end);
}

void VectorUnit::ports_changed(bool matters) {
  if (reported_ == started_)
    catch_up();
  else if (matters)
    ports_changed_.notify(sc_core::SC_ZERO_TIME);
}

void VectorUnit::gemm_steps(GemmSteps steps) {
  ports_.add(std::move(steps));
  ports_changed(uses_.acc || uses_.inp_read);
}

void VectorUnit::load_steps(isa::Buffer buffer, Cycle begin, Cycle end) {
  if (buffer != isa::Buffer::Inp && buffer != isa::Buffer::Out) return;
  ports_.add_load(buffer, std::max(begin, now() + 1), end);
  ports_changed(buffer == isa::Buffer::Inp ? uses_.inp_write : uses_.out_write);
}

void VectorUnit::store_read(Cycle at) {
  if (at > now()) ports_.add_store(at);
  ports_changed(uses_.out_read);
}

void VectorUnit::wait_ready(const QueuedInsn&) {
  for (;;) {
    catch_up();
    VectorTimeline ahead = timeline_;
    ahead.record(false);
    ahead.run_to_ready(ports_, ~Cycle{0});
    if (ahead.cycle() == now()) return;
    sc_core::wait(cycles(ahead.cycle() - now()), ports_changed_);
  }
}

void VectorUnit::begin(const QueuedInsn& insn) {
  const auto& vector = std::get<isa::VectorInsn>(insn.insn);
  catch_up();
  timeline_.start(insn.index, vector, now());
  if (reported_ == started_) uses_ = {};
  uses_.acc |= vector.a_buffer == isa::Buffer::Acc || vector.dst_buffer == isa::Buffer::Acc;
  uses_.inp_read |= vector.a_buffer == isa::Buffer::Inp;
  uses_.out_read |= vector.a_buffer == isa::Buffer::Out;
  uses_.inp_write |= vector.dst_buffer == isa::Buffer::Inp;
  uses_.out_write |= vector.dst_buffer == isa::Buffer::Out;
  ++started_;
  begun_.notify(sc_core::SC_ZERO_TIME);
}

void VectorUnit::run_done() {
  for (;;) {
    while (reported_ == started_) sc_core::wait(begun_);
    catch_up();
    VectorTimeline ahead = timeline_;
    ahead.record(false);
    const Cycle done = ahead.run_to_done(ports_, reported_ + 1);
    if (done > now()) {
      sc_core::wait(cycles(done - now()), ports_changed_);
      continue;
    }
    ++reported_;
    completes(now());
  }
}

}  // namespace vdla::sim
