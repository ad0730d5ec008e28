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
  SpanWriter spans_{reporter_, isa::Unit::Store, Activity::Setup};
};

/// The span of an instruction in the pipeline begins first: it hid every other reason.
TEST_F(Spans, InFlightTakesOnlyTheCyclesThatNoStrongerReasonHas) {
  spans_.enter(0, 9);
  spans_.reason(Activity::Busy, 0, 12, 15);
  spans_.reason(Activity::Pop, 1, 14, 18);
  spans_.reason(Activity::Push, 0, 20, 22);
  spans_.leave(22);
  spans_.finish(30);
  EXPECT_THAT(seen(),
              testing::ElementsAre(std::tuple(Activity::Setup, 10, 12), std::tuple(Activity::Busy, 12, 15),
                                   std::tuple(Activity::Setup, 15, 20), std::tuple(Activity::Push, 20, 22),
                                   std::tuple(Activity::Setup, 22, 23)));
}

TEST_F(Spans, WorkCutsTheReasonsAroundItAndFlushingCutsNothing) {
  spans_.reason(Activity::Memory, 0, 5, 30);
  spans_.reason(Activity::Busy, 0, 10, 20);
  spans_.flush(15);
  spans_.flush(25);
  spans_.finish(40);
  EXPECT_THAT(seen(),
              testing::ElementsAre(std::tuple(Activity::Memory, 5, 10), std::tuple(Activity::Busy, 10, 20),
                                   std::tuple(Activity::Memory, 20, 30)));
}

TEST_F(Spans, ACycleBelongsToTheOldestInstructionInFlight) {
  spans_.enter(3, 0);
  spans_.enter(4, 2);
  spans_.reason(Activity::Busy, 4, 2, 8);
  spans_.leave(4);
  spans_.leave(9);
  spans_.finish(20);
  std::vector<std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>> insns;
  for (const trace::Event& e : recorder_.events()) insns.emplace_back(e.insn, e.begin, e.end);
  EXPECT_THAT(insns, testing::ElementsAre(std::tuple(3, 1, 2), std::tuple(3, 2, 5), std::tuple(4, 5, 8),
                                          std::tuple(4, 8, 10)));
}

}  // namespace
}  // namespace vdla::sim
