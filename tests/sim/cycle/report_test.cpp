// SPDX-License-Identifier: Apache-2.0
// Which reason the spans of a unit give for a cycle.
#include "sim/cycle/report.h"

#include <gmock/gmock.h>

#include "sim/trace/recorder.h"

namespace vdla::sim {
namespace {

using trace::Activity;

class Spans : public testing::Test {
 protected:
  Spans() { reporter_.set_sink(&recorder_); }

  std::vector<std::tuple<Activity, std::uint64_t, std::uint64_t>> seen() const {
    std::vector<std::tuple<Activity, std::uint64_t, std::uint64_t>> list;
    for (const trace::Event& e : recorder_.events()) list.emplace_back(e.activity, e.begin, e.end);
    return list;
  }

  trace::Recorder recorder_;
  Reporter reporter_;
  SpanWriter spans_{reporter_, isa::Unit::Store};
};

/// The span of an instruction in the pipeline is known last and begins first: it hid every other reason.
TEST_F(Spans, SetupTakesOnlyTheCyclesThatNoOtherReasonHas) {
  spans_.minor(Activity::Busy, 0, 12, 15);
  spans_.minor(Activity::Memory, 0, 12, 18);
  spans_.minor(Activity::Push, 0, 20, 22);
  spans_.minor(Activity::Setup, 0, 10, 23);
  spans_.flush(30);
  EXPECT_THAT(seen(),
              testing::ElementsAre(std::tuple(Activity::Setup, 10, 12), std::tuple(Activity::Busy, 12, 15),
                                   std::tuple(Activity::Memory, 15, 18), std::tuple(Activity::Setup, 18, 20),
                                   std::tuple(Activity::Push, 20, 22), std::tuple(Activity::Setup, 22, 23)));
}

TEST_F(Spans, WorkCutsTheReasonsAroundIt) {
  spans_.minor(Activity::Memory, 0, 5, 30);
  spans_.major(Activity::Busy, 0, 10, 20);
  spans_.flush(25);
  spans_.flush(40);
  EXPECT_THAT(seen(), testing::ElementsAre(
                          std::tuple(Activity::Memory, 5, 10), std::tuple(Activity::Busy, 10, 20),
                          std::tuple(Activity::Memory, 20, 25), std::tuple(Activity::Memory, 25, 30)));
}

}  // namespace
}  // namespace vdla::sim
