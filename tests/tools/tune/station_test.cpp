// SPDX-License-Identifier: Apache-2.0
// What becomes of a trial and of its place when the program, or the place, fails.
#include "tools/tune/station.h"

#include <gmock/gmock.h>

#include "support/error.h"

namespace vdla::tune {
namespace {

/// Fails as often as it is told to.
class FailingPlace final : public Station {
 public:
  int programs_fail = 100, resets_fail = 0, acquires_fail_from = 100;
  bool works = true;  ///< resets that fail are the place's fault
  int acquired = 0, released = 0;

  bool acquire() override {
    if (taken_) return true;
    taken_ = ++acquired < acquires_fail_from;
    if (!taken_) reason_ = "somebody has it";
    return taken_;
  }
  bool health() override { return taken_; }
  bool reset() override {
    if (resets_fail == 0) return true;
    --resets_fail;
    reason_ = "it is not reset";
    return false;
  }
  void release() override {
    taken_ = false;
    ++released;
  }
  std::string reason() const override { return reason_; }
  bool broken() const override { return !works; }
  std::string engine() const override { return "board"; }
  double cycles(const runtime::Module&) override {
    VDLA_CHECK_USER(--programs_fail < 0) << "layer 'a' hangs";
    return 12;
  }

 private:
  bool taken_ = false;
  std::string reason_;
};

TEST(TimedAt, AProgramThatFailsOnceIsTriedAgain) {
  FailingPlace place;
  place.programs_fail = 1;
  EXPECT_EQ(timed_at(place, {}), (Outcome{{"status", "ok"}, {"cycles", 12.0}, {"engine", "board"}}));
  EXPECT_EQ(place.acquired, 1);
}

TEST(TimedAt, AProgramThatFailsTwiceIsItsOwnFault) {
  FailingPlace place;
  EXPECT_EQ(timed_at(place, {}), (Outcome{{"status", "failed"}, {"reason", "layer 'a' hangs"}}));
}

// A run that was too late is at work for a moment longer, and a reset is refused meanwhile: the place was
// lost.
TEST(TimedAt, APlaceThatIsBusyForAMomentIsTakenAnewAndNotLost) {
  FailingPlace place;
  place.resets_fail = 1;
  EXPECT_EQ(timed_at(place, {}).at("status"), "failed");
  EXPECT_EQ(place.released, 1);
  EXPECT_EQ(place.acquired, 2);
}

TEST(TimedAt, APlaceThatCannotBeResetIsLostWithWhatTheProgramHadFailedWith) {
  FailingPlace place;
  place.resets_fail = 100;
  place.works = false;
  const Outcome outcome = timed_at(place, {});
  EXPECT_EQ(outcome.at("status"), "lost");
  EXPECT_EQ(outcome.at("broken"), true);
  EXPECT_EQ(outcome.at("reason"), "it is not reset; a program had failed there: layer 'a' hangs");
}

TEST(TimedAt, APlaceThatSomebodyElseHasIsLostAndWorks) {
  FailingPlace place;
  place.acquires_fail_from = 1;
  EXPECT_EQ(timed_at(place, {}),
            (Outcome{{"status", "lost"}, {"reason", "somebody has it"}, {"broken", false}}));
}

}  // namespace
}  // namespace vdla::tune
