// SPDX-License-Identifier: Apache-2.0
// SystemC and RTL tell the same events: each instruction, burst and reason for a lost cycle, in the same
// cycles.
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/cycle/engine.h"
#include "sim/lockstep/job.h"
#include "sim/rtl/engine.h"
#include "sim/trace/recorder.h"
#include "tests/sim/built_rtl.h"
#include "tests/sim/lockstep/random_job.h"
#include "tests/sim/trace/statistics.h"

namespace vdla::sim {
namespace {

using trace::Event;

constexpr std::uint64_t kEventsMemory = 16 << 20;

/// The events of a run, counted from its start, in an order that does not depend on the engine.
std::vector<Event> events_of(Engine& engine, const Job& job) {
  trace::Recorder recorder;
  engine.set_trace(&recorder);
  start_job(engine, job, place_windows(engine, job));
  EXPECT_EQ(engine.run(2'000'000), Stop::Interrupt);
  engine.set_trace(nullptr);
  std::vector<Event> events = recorder.events();
  if (events.empty()) return events;
  const trace::Statistics statistics = trace::summarize(events);
  for (std::size_t u = 0; u < isa::kUnits.size(); ++u) {
    std::uint64_t sum = 0;
    for (const trace::Cycle cycles : statistics.units[u].cycles) sum += cycles;
    EXPECT_EQ(sum, statistics.end - statistics.begin) << engine.name() << ", " << isa::kUnits[u].text;
  }
  for (Event& e : events) {
    e.begin -= statistics.begin;
    e.end -= statistics.begin;
  }
  const auto key = [](const Event& e) {
    return std::tuple(e.unit, e.type, e.begin, e.end, e.write, e.insn, e.activity);
  };
  std::ranges::sort(events, {}, key);
  return events;
}

std::string text(const Event& e) {
  std::string s = std::string(isa::to_string(e.unit)) + " " + std::string(trace::to_string(e.type));
  if (e.type == trace::EventType::Span) s += " " + std::string(trace::to_string(e.activity));
  s +=
      " insn " + std::to_string(e.insn) + " [" + std::to_string(e.begin) + ", " + std::to_string(e.end) + ")";
  if (e.peers != 0) s += " peers " + std::to_string(e.peers);
  if (e.bytes != 0) s += " bytes " + std::to_string(e.bytes) + " at " + std::to_string(e.address);
  return s;
}

void expect_same_events(Engine& systemc, Engine& rtl, const Job& job, const std::string& what) {
  const std::vector<Event> a = events_of(systemc, job), b = events_of(rtl, job);
  const auto [left, right] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (left == a.end() && right == b.end()) return;
  ADD_FAILURE() << what << ": SystemC: " << (left == a.end() ? "no more" : text(*left))
                << "; RTL: " << (right == b.end() ? "no more" : text(*right)) << "; event "
                << left - a.begin() << " of " << a.size() << " and " << b.size();
}

class Events : public testing::TestWithParam<RandomRuns> {};

TEST_P(Events, OfRandomProgramsAreTheSame) {
  const RandomRuns& runs = GetParam();
  const auto systemc = make_cycle_engine(runs.variant, kEventsMemory);
  const auto rtl = make_rtl_engine(runs.variant, kEventsMemory, built_rtl());
  for (unsigned seed = runs.first; seed < runs.first + runs.seeds && !testing::Test::HasFailure(); ++seed)
    expect_same_events(*systemc, *rtl, runs.job(seed), "seed " + std::to_string(seed));
}

INSTANTIATE_TEST_SUITE_P(Random, Events, testing::ValuesIn(random_runs()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace vdla::sim
