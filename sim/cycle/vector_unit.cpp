// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/vector_unit.h"

#include <utility>

namespace vdla::sim {

VectorUnit::VectorUnit(sc_core::sc_module_name name, const UnitLinks& links, SramPorts& ports)
    : QueueUnit(name, isa::Unit::Vector, links, trace::Activity::Setup),
      ports_(ports),
      timeline_(links.geometry.acc_depth),
      at_ready_(timeline_) {
  SC_HAS_PROCESS(VectorUnit);
  SC_THREAD(run_done);
}

void VectorUnit::catch_up() {
  timeline_.record(links().reporter.on());
  timeline_.run(ports_.use(), now());
  ports_.forget(now());
  for (const VectorTimeline::Interval& i : timeline_.pop_intervals())
    spans().reason(i.stall ? trace::Activity::Bank : trace::Activity::Busy, i.insn, i.begin, i.end);
}

void VectorUnit::drop_outdated() {
  if (std::exchange(seen_changes_, ports_.changes()) != ports_.changes()) ahead_.reset();
}

void VectorUnit::look_ahead() {
  drop_outdated();
  if (!ahead_) {
    catch_up();
    ahead_ = timeline_;
    ahead_->record(false);
    ahead_->run_to_ready(ports_.use(), ~Cycle{0});
    ready_at_ = ahead_->cycle();
    at_ready_ = *ahead_;
    ahead_done_ = reported_;
  }
  if (ahead_done_ == reported_ && reported_ < started_)
    done_at_ = ahead_->run_to_done(ports_.use(), ++ahead_done_);
}

void VectorUnit::wait_ready(const QueuedInsn&) {
  for (;;) {
    look_ahead();
    if (ready_at_ <= now()) return;
    sc_core::wait(cycles(ready_at_ - now()), ports_.changed().event());
  }
}

void VectorUnit::begin(const QueuedInsn& insn) {
  const auto& vector = std::get<isa::VectorInsn>(insn.insn);
  drop_outdated();
  if (ahead_ && ready_at_ == now() && !links().reporter.on())
    timeline_ = at_ready_;  // state that catch_up() would find
  else
    catch_up();
  timeline_.start(insn.index, vector, now());
  ports_.claim(vector);
  ++started_;
  ahead_.reset();
  begun_.ring();
}

void VectorUnit::run_done() {
  for (;;) {
    while (reported_ == started_) sc_core::wait(begun_.event());
    look_ahead();
    if (done_at_ > now()) {
      sc_core::wait(cycles(done_at_ - now()), ports_.changed().event());
      continue;
    }
    ++reported_;
    if (reported_ == started_) {
      catch_up();  // cycles that are over may be forgotten from now on
      ports_.release();
    }
    completes(now());
  }
}

}  // namespace vdla::sim
