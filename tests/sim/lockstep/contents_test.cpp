// SPDX-License-Identifier: Apache-2.0
// Contents that instructions write (trace::Detail::Contents) are the same on all engines.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "sim/cycle/engine.h"
#include "sim/functional/engine.h"
#include "sim/lockstep/job.h"
#include "sim/rtl/engine.h"
#include "sim/trace/event.h"
#include "tests/sim/built_rtl.h"
#include "tests/sim/lockstep/random_job.h"

namespace vdla::sim {
namespace {

constexpr std::uint64_t kContentsMemory = 16 << 20;

/// A place (of a buffer: its number and the row; of memory: none and the address), and what stands there.
using Place = std::pair<int, std::uint64_t>;
using Contents = std::map<Place, std::pair<unsigned, std::vector<std::byte>>>;

class ContentsRecorder final : public trace::Sink {
 public:
  trace::Detail detail() const override { return trace::Detail::Contents; }
  void event(const trace::Event& e) override {
    if (e.type == trace::EventType::Retire) ++retired[e.unit];
  }
  void wrote(isa::Unit unit, const trace::Writes& writes) override {
    Contents& contents = of_units[unit].emplace_back();
    for (const trace::Writes::Row& row : writes.rows) {
      const auto begin = writes.bytes.begin() + static_cast<std::ptrdiff_t>(row.begin);
      contents[{static_cast<int>(row.buffer), row.row}] = {
          0, {begin, begin + static_cast<std::ptrdiff_t>(row.count)}};
    }
    for (const trace::Writes::Word& word : writes.words) {
      const auto bytes = std::as_bytes(std::span(&word.value, 1));
      contents[{-1, word.address}] = {word.mask, {bytes.begin(), bytes.end()}};
    }
  }

  std::map<isa::Unit, std::vector<Contents>> of_units;
  std::map<isa::Unit, std::size_t> retired;
};

std::map<isa::Unit, std::vector<Contents>> contents_of(Engine& engine, const Job& job) {
  ContentsRecorder recorder;
  engine.set_trace(&recorder);
  start_job(engine, job, place_windows(engine, job));
  EXPECT_EQ(engine.run(2'000'000), Stop::Interrupt);
  engine.set_trace(nullptr);
  for (const auto& [unit, contents] : recorder.of_units)
    EXPECT_EQ(contents.size(), recorder.retired[unit]) << engine.name() << ", " << isa::to_string(unit);
  return recorder.of_units;
}

class ContentsOfRandom : public testing::TestWithParam<RandomRuns> {};

TEST_P(ContentsOfRandom, InstructionsAreTheSameOnAllEngines) {
  const RandomRuns& runs = GetParam();
  const auto functional = make_functional_engine(runs.variant, kContentsMemory);
  const auto systemc = make_cycle_engine(runs.variant, kContentsMemory);
  const auto rtl = make_rtl_engine(runs.variant, kContentsMemory, built_rtl());
  std::size_t places = 0;
  const unsigned seeds = std::min(runs.seeds, 4u);
  for (unsigned seed = runs.first; seed < runs.first + seeds; ++seed) {
    const Job job = runs.job(seed);
    const auto expected = contents_of(*functional, job);
    EXPECT_EQ(contents_of(*systemc, job), expected) << "SystemC, seed " << seed;
    EXPECT_EQ(contents_of(*rtl, job), expected) << "RTL, seed " << seed;
    for (const auto& [unit, contents] : expected)
      for (const Contents& c : contents) places += c.size();
  }
  EXPECT_GT(places, 100u);
}

INSTANTIATE_TEST_SUITE_P(Random, ContentsOfRandom, testing::ValuesIn(random_runs()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace vdla::sim
