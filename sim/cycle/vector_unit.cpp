// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/vector_unit.h"

#include <algorithm>

namespace vdla::sim {

VectorUnit::VectorUnit(sc_core::sc_module_name name, const UnitLinks& links)
    : QueueUnit(name, isa::Unit::Vector, links, trace::Activity::Setup),
      timeline_(links.geometry.acc_depth),
      at_ready_(timeline_) {
  SC_HAS_PROCESS(VectorUnit);
  SC_THREAD(run_done);
}

void VectorUnit::catch_up() {
  timeline_.record(links().reporter.on());
  timeline_.run(ports_, now());
  ports_.forget(now());
  for (const VectorTimeline::Interval& i : timeline_.pop_intervals())
    spans().reason(i.stall ? trace::Activity::Bank : trace::Activity::Busy, i.insn, i.begin, i.end);
}

void VectorUnit::ports_changed(bool matters) {
  if (reported_ == started_) {
    constexpr unsigned kSeldom = 32;  // what is over need not be forgotten at once
    if (++changes_ % kSeldom == 0) catch_up();
  } else if (matters) {
    ports_changed_.ring();
  }
  if (matters) ahead_.reset();
}

void VectorUnit::look_ahead() {
  if (!ahead_) {
    catch_up();
    ahead_ = timeline_;
    ahead_->record(false);
    ahead_->run_to_ready(ports_, ~Cycle{0});
    ready_at_ = ahead_->cycle();
    at_ready_ = *ahead_;
    ahead_done_ = reported_;
  }
  if (ahead_done_ == reported_ && reported_ < started_) done_at_ = ahead_->run_to_done(ports_, ++ahead_done_);
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

void VectorUnit::store_reads(std::span<const Cycle> reads) {
  for (const Cycle read : reads)
    if (read > now()) ports_.add_store(read);
  ports_changed(uses_.out_read);
}

void VectorUnit::wait_ready(const QueuedInsn&) {
  for (;;) {
    look_ahead();
    if (ready_at_ <= now()) return;
    sc_core::wait(cycles(ready_at_ - now()), ports_changed_.event());
  }
}

void VectorUnit::begin(const QueuedInsn& insn) {
  const auto& vector = std::get<isa::VectorInsn>(insn.insn);
  if (ahead_ && ready_at_ == now() && !links().reporter.on())
    timeline_ = at_ready_;  // what catch_up() would find
  else
    catch_up();
  timeline_.start(insn.index, vector, now());
  if (reported_ == started_) uses_ = {};
  uses_.acc |= vector.a_buffer == isa::Buffer::Acc || vector.dst_buffer == isa::Buffer::Acc;
  uses_.inp_read |= vector.a_buffer == isa::Buffer::Inp;
  uses_.out_read |= vector.a_buffer == isa::Buffer::Out;
  uses_.inp_write |= vector.dst_buffer == isa::Buffer::Inp;
  uses_.out_write |= vector.dst_buffer == isa::Buffer::Out;
  ++started_;
  ahead_.reset();
  begun_.ring();
}

void VectorUnit::run_done() {
  for (;;) {
    while (reported_ == started_) sc_core::wait(begun_.event());
    look_ahead();
    if (done_at_ > now()) {
      sc_core::wait(cycles(done_at_ - now()), ports_changed_.event());
      continue;
    }
    ++reported_;
    completes(now());
  }
}

}  // namespace vdla::sim
