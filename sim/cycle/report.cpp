// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/report.h"

#include <algorithm>
#include <queue>

namespace vdla::sim {
namespace {

/// Which of two reasons for the same cycle is told: what a unit does, then what it waits for; that an
/// instruction is in its pipeline says least.
int strength(trace::Activity activity) {
  switch (activity) {
    case trace::Activity::Push:
      return 5;
    case trace::Activity::Busy:
    case trace::Activity::Bank:
      return 4;
    case trace::Activity::Queue:
    case trace::Activity::Drain:
    case trace::Activity::Memory:
      return 3;
    case trace::Activity::Pop:
      return 2;
    case trace::Activity::Setup:
      return 1;
    case trace::Activity::Idle:
      return 0;
  }
  return 0;
}

struct Weaker {
  bool operator()(const trace::Event& a, const trace::Event& b) const {
    return strength(a.activity) < strength(b.activity);
  }
};

}  // namespace

void Reporter::point(trace::EventType type, isa::Unit unit, std::uint32_t insn, std::uint64_t at) const {
  trace::Event e;
  e.type = type;
  e.unit = unit;
  e.insn = insn;
  e.begin = e.end = at;
  emit(e);
}

trace::Event SpanWriter::span(trace::Activity activity, std::uint32_t insn, std::uint64_t begin,
                              std::uint64_t end) const {
  trace::Event e;
  e.type = trace::EventType::Span;
  e.unit = unit_;
  e.activity = activity;
  e.insn = insn;
  e.begin = begin;
  e.end = end;
  return e;
}

void SpanWriter::major(trace::Activity activity, std::uint32_t insn, std::uint64_t begin, std::uint64_t end) {
  if (!reporter_.on() || begin >= end) return;
  flush(begin);
  reporter_.emit(span(activity, insn, begin, end));
  covered_ = end;
}

void SpanWriter::minor(trace::Activity activity, std::uint32_t insn, std::uint64_t begin, std::uint64_t end,
                       unsigned peers) {
  if (!reporter_.on() || std::max(begin, covered_) >= end) return;
  waiting_.push_back(span(activity, insn, begin, end));
  waiting_.back().peers = static_cast<std::uint8_t>(peers);
}

void SpanWriter::flush(std::uint64_t end) {
  std::ranges::sort(waiting_, {}, &trace::Event::begin);
  std::priority_queue<trace::Event, std::vector<trace::Event>, Weaker> active;
  std::vector<trace::Event> later;
  for (const trace::Event& e : waiting_)
    if (e.end > end) {
      later.push_back(e);
      later.back().begin = std::max(e.begin, end);
    }
  auto next = waiting_.begin();
  while (covered_ < end) {
    while (next != waiting_.end() && next->begin <= covered_) active.push(*next++);
    while (!active.empty() && active.top().end <= covered_) active.pop();
    if (active.empty()) {
      if (next == waiting_.end() || next->begin >= end) break;
      covered_ = next->begin;
      continue;
    }
    trace::Event e = active.top();
    e.begin = covered_;
    e.end = std::min(e.end, end);
    for (; next != waiting_.end() && next->begin < e.end; active.push(*next++))
      if (Weaker{}(e, *next)) e.end = next->begin;
    reporter_.emit(e);
    covered_ = e.end;
  }
  waiting_ = std::move(later);
}

}  // namespace vdla::sim
