// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/report.h"

#include <algorithm>
#include <tuple>

namespace vdla::sim {

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
  std::sort(waiting_.begin(), waiting_.end(), [](const trace::Event& a, const trace::Event& b) {
    return std::tuple(a.begin, a.end, a.activity) < std::tuple(b.begin, b.end, b.activity);
  });
  std::vector<trace::Event> later;
  for (trace::Event e : waiting_) {
    if (e.end > end) {
      later.push_back(e);
      later.back().begin = std::max(e.begin, end);
    }
    e.begin = std::max(e.begin, covered_);
    e.end = std::min(e.end, end);
    if (e.begin >= e.end) continue;
    reporter_.emit(e);
    covered_ = e.end;
  }
  waiting_ = std::move(later);
}

}  // namespace vdla::sim
