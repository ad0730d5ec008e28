// SPDX-License-Identifier: Apache-2.0
#include "sim/timeline/timeline.h"

#include <algorithm>
#include <cmath>

#include "sim/trace/profile.h"
#include "sim/trace/stretches.h"

namespace vdla::timeline {
namespace {

using trace::Event;
using trace::EventType;

/// Places of tracks, from the top.
enum Place : std::uint8_t {
  kLayers = 0,
  kUnits = 1,
  kReads = 20,
  kWrites = 30,
  kElsewhere = 40,
  kCounters = 50
};
int place_of(isa::Unit unit) { return static_cast<int>(unit); }

std::string text_of(isa::Unit unit) { return std::string(isa::to_string(unit)); }

/// Arrows of different runs have different numbers, and JSON's numbers are exact up to 2^53.
constexpr std::uint64_t kArrowsOfARun = std::uint64_t{1} << 32;

}  // namespace

Timeline::Timeline(std::ostream& out, Form form, std::string_view process, Labeler labeler)
    : canvas_(out, form, process), labeler_(std::move(labeler)) {}

Timeline::~Timeline() { finish(); }

void Timeline::finish() {
  if (std::exchange(finished_, true)) return;
  end_run();
  draw_counters();
  canvas_.finish();
}

void Timeline::event(const Event& told) {
  Event e = told;
  e.begin += waited_;
  e.end += waited_;
  end_ = std::max(end_, e.end);
  if (e.type == EventType::Start) end_run();
  if (!run_) run_.emplace(Run{e.begin, e.end, {}, {}});
  run_->end = std::max(run_->end, e.end);
  counters_.event(e);
  switch (e.type) {
    case EventType::Insn:
      return draw_insn(e);
    case EventType::Span:
      return draw_span(e);
    case EventType::Burst:
      return draw_burst(e);
    case EventType::Retire:
      return note_retire(e);
    case EventType::Start:
    case EventType::Dispatch:
    case EventType::Done:
      return;
  }
}

void Timeline::beside(const Beside& other) {
  std::vector<Fact> facts;
  facts.reserve(other.args.size());
  for (const auto& [name, text] : other.args) facts.push_back({name, std::string_view(text)});
  canvas_.draw(other.track, kElsewhere,
               {.name = other.name, .begin = other.begin, .end = other.begin + other.cycles, .facts = facts});
}

void Timeline::wait_until(Cycle at) {
  if (at <= end_) return;
  waited_ += at - end_;
  end_ = at;
}

void Timeline::draw_insn(const Event& e) {
  const Label label = labeler_ ? labeler_(e.insn) : Label{};
  const std::string own = text_of(e.unit) + " " + std::to_string(e.insn);
  const std::string name = label.layer.empty() ? own : label.layer + " " + own;
  std::vector<Fact> facts{{"insn", std::uint64_t{e.insn}}};
  if (e.bytes != 0) facts.push_back({"bytes", e.bytes});
  if (!label.layer.empty()) facts.push_back({"layer", std::string_view(label.layer)});
  if (!label.loop.empty()) facts.push_back({"loop", std::string_view(label.loop)});
  const std::vector<std::uint64_t> pushed = arrows(label.pushed), popped = arrows(label.popped);
  canvas_.draw(text_of(e.unit), kUnits + 2 * place_of(e.unit),
               {.name = name,
                .begin = e.begin,
                .end = e.end,
                .category = label.layer,
                .colour = label.layer.empty() ? 0 : canvas_.colour_of(label.layer),
                .facts = facts,
                .flows_out = pushed,
                .flows_in = popped});
}

void Timeline::draw_span(const Event& e) {
  if (e.activity == trace::Activity::Idle || e.begin == e.end) return;
  const std::string name = trace::to_string(trace::Reason{e.activity, e.peers});
  const Fact facts[] = {{"insn", std::uint64_t{e.insn}}};
  canvas_.draw(text_of(e.unit) + " cycles", kUnits + 2 * place_of(e.unit) + 1,
               {.name = name, .begin = e.begin, .end = e.end, .facts = facts});
}

void Timeline::draw_burst(const Event& e) {
  const std::string name = text_of(e.unit) + (e.write ? " write" : " read");
  const Fact facts[] = {{"insn", std::uint64_t{e.insn}}, {"bytes", e.bytes}, {"address", e.address}};
  canvas_.draw("dram, " + name, (e.write ? kWrites : kReads) + place_of(e.unit),
               {.name = name, .begin = e.begin, .end = e.end, .facts = facts});
}

void Timeline::note_retire(const Event& e) {
  if (!labeler_ || e.unit == isa::Unit::Fetch) return;
  const Label label = labeler_(e.insn);
  if (label.layer_number == Label::kNoLayer) return;
  run_->layers.emplace(label.layer_number, label.layer);
  run_->retires.push_back(e);
  run_->retires.back().insn = label.layer_number;
}

/// Draws the layers as the run's account has them: each from the previous one's last retire to its own.
void Timeline::end_run() {
  if (!run_) return;
  const Run run = *std::exchange(run_, std::nullopt);
  ++runs_;
  if (run.layers.empty()) return;
  trace::ProfileOptions options;
  options.layers = run.layers.rbegin()->first + 1;
  options.layer_of = [](std::uint32_t layer) { return std::size_t{layer}; };
  const trace::Stretches stretches(run.retires, options, run.begin, run.end);
  for (std::size_t i = 0; i < stretches.parts().size(); ++i) {
    const auto& [end, number] = stretches.parts()[i];
    const auto layer = run.layers.find(static_cast<std::uint32_t>(number));
    const bool is_rest = layer == run.layers.end();
    const std::string name = is_rest ? "after the last layer" : layer->second;
    if (end > stretches.begin_of(i))
      canvas_.draw("layers", kLayers,
                   {.name = name,
                    .begin = stretches.begin_of(i),
                    .end = end,
                    .category = is_rest ? std::string_view() : name,
                    .colour = is_rest ? 0 : canvas_.colour_of(name)});
  }
}

void Timeline::draw_counters() {
  counters_.for_each([this](const trace::CounterPoint& point) {
    const Unit unit = point.track.find("bytes") == std::string::npos ? Unit::None : Unit::Bytes;
    for (const auto& [name, value] : point.values)
      canvas_.count(point.track + ": " + name, kCounters, unit, point.at, std::llround(value));
  });
}

std::vector<std::uint64_t> Timeline::arrows(std::span<const std::uint64_t> tokens) const {
  std::vector<std::uint64_t> numbers(tokens.begin(), tokens.end());
  for (std::uint64_t& number : numbers) number += runs_ * kArrowsOfARun;
  return numbers;
}

}  // namespace vdla::timeline
