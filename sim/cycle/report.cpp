// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/report.h"

#include <algorithm>
#include <queue>

namespace vdla::sim {
namespace {

/// Strength of a reason: of two for the same cycle the stronger one is told, as in the RTL's trace
/// (sim/trace/event.h).
int strength(trace::Activity activity) {
  switch (activity) {
    case trace::Activity::Push:
      return 6;
    case trace::Activity::Bank:
      return 5;
    case trace::Activity::Busy:
    case trace::Activity::Queue:
    case trace::Activity::Drain:
      return 4;
    case trace::Activity::Memory:
      return 3;
    case trace::Activity::Setup:
      return 2;
    case trace::Activity::Pop:
      return 1;
    case trace::Activity::Idle:
      return 0;
  }
  return 0;
}

}  // namespace

void Reporter::point(trace::EventType type, isa::Unit unit, std::uint32_t insn, std::uint64_t at) const {
  trace::Event e;
  e.type = type;
  e.unit = unit;
  e.insn = insn;
  e.begin = e.end = at;
  emit(e);
}

bool SpanWriter::Weaker::operator()(const trace::Event& a, const trace::Event& b) const {
  return strength(a.activity) < strength(b.activity);
}

void SpanWriter::add(trace::Activity activity, std::uint32_t insn, std::uint64_t begin, std::uint64_t end,
                     unsigned peers) {
  if (!reasons_.empty()) {
    trace::Event& last = reasons_.back();
    if (last.activity == activity && last.insn == insn && last.peers == peers && last.end == begin) {
      last.end = end;
      return;
    }
  }
  trace::Event e;
  e.type = trace::EventType::Span;
  e.unit = unit_;
  e.activity = activity;
  e.peers = static_cast<std::uint8_t>(peers);
  e.insn = insn;
  e.begin = begin;
  e.end = end;
  reasons_.push_back(e);
}

void SpanWriter::enter(std::uint32_t insn, std::uint64_t at) {
  if (reporter_.on()) inflight_.push_back({insn, at + 1, UINT64_MAX});
}

void SpanWriter::leave(std::uint64_t at) {
  for (Inflight& insn : inflight_)
    if (insn.end == UINT64_MAX) {
      insn.end = at + 1;
      return;
    }
}

void SpanWriter::write() {
  if (open_) reporter_.emit(*open_);
  open_.reset();
}

void SpanWriter::tell(trace::Event e) {
  if (open_ && open_->end == e.begin && open_->activity == e.activity && open_->insn == e.insn &&
      open_->peers == e.peers) {
    open_->end = e.end;
    return;
  }
  write();
  open_ = e;
}

void SpanWriter::flush(std::uint64_t end) {
  if (!reporter_.on() || covered_ >= end) return;
  std::ranges::sort(reasons_, {}, &trace::Event::begin);
  std::priority_queue<trace::Event, std::vector<trace::Event>, Weaker> active;
  trace::Event base;
  base.type = trace::EventType::Span;
  base.unit = unit_;
  base.activity = in_flight_;
  for (auto next = reasons_.begin(); covered_ < end;) {
    while (next != reasons_.end() && next->begin <= covered_) active.push(*next++);
    while (!active.empty() && active.top().end <= covered_) active.pop();
    while (!inflight_.empty() && inflight_.front().end <= covered_) inflight_.pop_front();
    // Finds the cycle up to which the same reason holds.
    std::uint64_t until = end;
    if (next != reasons_.end()) until = std::min(until, next->begin);
    if (!active.empty()) until = std::min(until, active.top().end);
    const bool flying = !inflight_.empty() && inflight_.front().begin <= covered_;
    if (!inflight_.empty()) until = std::min(until, flying ? inflight_.front().end : inflight_.front().begin);
    if (flying || !active.empty()) {
      trace::Event e = active.empty() || (flying && Weaker{}(active.top(), base)) ? base : active.top();
      // A step of gemm is its own instruction's; other units cannot tell on the RTL.
      const bool step = unit_ == isa::Unit::Gemm && e.activity == trace::Activity::Busy;
      if (flying && !step) e.insn = inflight_.front().insn;
      e.begin = covered_;
      e.end = until;
      tell(e);
    }
    covered_ = until;
  }
  std::erase_if(reasons_, [&](const trace::Event& e) { return e.end <= covered_; });
}

void SpanWriter::finish(std::uint64_t end) {
  flush(end);
  write();
  reasons_.clear();
  inflight_.clear();
}

}  // namespace vdla::sim
