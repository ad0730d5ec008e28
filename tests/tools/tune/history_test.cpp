// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/history.h"

#include <gmock/gmock.h>

namespace vdla::tune {
namespace {

using pipeline::KnobSpace;
using pipeline::Point;

KnobSpace two_knobs() {
  return {{{"h", 8, {}}, {"w", 8, {}}},
          {[](const Point&) { return true; }, [](const Point&) { return 1.0; }, [](Point p) { return p; }}};
}

TEST(History, TellsWhatEachTaskGainedAndWhichKnobsMattered) {
  const std::vector<Task> tasks{{"one", "alone", two_knobs(), 2}, {"two", "alone", two_knobs()}};
  History history(tasks);
  double best = 100;
  std::int64_t trial = 0;
  for (std::int64_t h = 1; h <= 4; ++h)
    for (std::int64_t w = 1; w <= 4; ++w) {
      const Point point{h, w};
      const double cost = 100 - 5 * static_cast<double>(h);  // w has no part in it
      best = std::min(best, cost);
      history.add({++trial, 100, best, &tasks[0], &point, cost, false});
    }
  // What another task gains in between is no part of it.
  const Point last{1, 1};
  for (const double other : {70.0, 60.0, 40.0}) {
    history.add({++trial, 100, other, &tasks[1], &last, other, true});
    const Point same{trial % 4 + 1, 4};
    history.add(
        {++trial, 100, other, &tasks[0], &same, other + 20 - 5 * static_cast<double>(same[0]), false});
  }
  history.add({++trial, 100, 40, &tasks[1], &last, std::nullopt, false});
  const explore::Json trials = history.trials();
  ASSERT_EQ(trials.size(), 23u);
  EXPECT_EQ(trials[0].at("best"), 95);
  EXPECT_TRUE(trials[22].at("cycles").is_null());
  EXPECT_EQ(trials[22].at("task"), 1);

  const explore::Json of = history.tasks({"target", {{"one", "alone", "h=4 w=1", 13}}, {}});
  EXPECT_EQ(of[0].at("trials"), 19);
  EXPECT_EQ(of[0].at("gain"), 20);
  EXPECT_EQ(of[0].at("layers"), 2);
  EXPECT_EQ(of[0].at("knobs"), "h=4 w=1");
  ASSERT_EQ(of[0].at("mattered").size(), 2u);
  EXPECT_EQ(of[0].at("mattered")[0].at("knob"), "h");
  EXPECT_DOUBLE_EQ(of[0].at("mattered")[0].at("share"), 1);
  EXPECT_LT(of[0].at("mattered")[1].at("share"), 0.05);
  EXPECT_EQ(of[1].at("gain"), 40);
  EXPECT_TRUE(of[1].at("knobs").is_null());
  EXPECT_TRUE(of[1].at("mattered").empty()) << "four trials say nothing of knobs";
}

TEST(History, TakesTasksInThatThereWereNotAtFirst) {
  History history({{"plan", "graph", two_knobs()}});
  const Point point{1, 1};
  const Task behind{"one", "with the other plan", two_knobs()};
  history.add({1, 100, 90, &behind, &point, 90, true});
  EXPECT_EQ(history.trials()[0].at("task"), 1);
  const explore::Json of = history.tasks({"target", {}, {}});
  ASSERT_EQ(of.size(), 2u);
  EXPECT_EQ(of[0].at("trials"), 0);
  EXPECT_EQ(of[1].at("context"), "with the other plan");
  EXPECT_EQ(of[1].at("gain"), 10);
}

}  // namespace
}  // namespace vdla::tune
