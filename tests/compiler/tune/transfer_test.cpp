// SPDX-License-Identifier: Apache-2.0
// What other searches measured: who learns from whom, and that a search begins nearer to its end.
#include "compiler/tune/transfer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "compiler/tune/boosting.h"
#include "compiler/tune/search.h"
#include "tests/compiler/tune/toy_space.h"

namespace vdla::tune {
namespace {

/// Blind to everything.
double blind(const Point&) { return 100; }

std::vector<TrialElsewhere> trials_of(const KnobSpace& space, std::size_t count, double scale) {
  pipeline::Random random(5);
  std::vector<TrialElsewhere> all;
  while (all.size() < count) {
    const Point p = *space.sample(random);
    all.push_back({p, space.estimate(p), scale * toy_cost(p)});
  }
  return all;
}

TEST(Transfer, IsForSpacesWithTheSameKnobs) {
  const KnobSpace space = toy_space();
  Transfer transfer;
  transfer.add(space.knobs(), trials_of(space, 20, 1));
  transfer.add(space.knobs(), trials_of(space, 1, 1));
  EXPECT_EQ(transfer.tasks(), 1u) << "one trial says nothing";
  EXPECT_EQ(transfer.samples_for(space).size(), 20u);
  EXPECT_GT(transfer.samples_for(space)[0].group, 0u);
  const KnobSpace other({{"h", 64, {}}, {"w", 64, {}}, {"order", 3, {"a", "b", "d"}}}, {});
  EXPECT_TRUE(transfer.samples_for(other).empty());
  const KnobSpace smaller({{"h", 8, {}}, {"w", 8, {}}, {"order", 3, {"a", "b", "c"}}}, {});
  EXPECT_EQ(transfer.samples_for(smaller).size(), 20u) << "of any size";
  transfer.add(space.knobs(), trials_of(space, 3000, 7));
  EXPECT_EQ(transfer.samples_for(space).size(), 1000u);
}

double least_of_a_batch(const KnobSpace& space, std::span<const Sample> known) {
  const std::vector<Drafted> drafted = draft(space, 3);
  const auto search = search_named("hybrid").make(space, {3, drafted, &model_named("residual"), known});
  double least = INFINITY;
  for (const Point& p : search->propose(8)) least = std::min(least, toy_cost(p));
  return least;
}

TEST(Transfer, ASearchBeginsWithWhatOthersFound) {
  if (!can_boost()) GTEST_SKIP() << "XGBoost (libxgboost-dev) is not here";
  const KnobSpace space = toy_space(blind);
  Transfer transfer;
  transfer.add(space.knobs(), trials_of(space, 150, 1000));
  const std::vector<Sample> known = transfer.samples_for(space);
  EXPECT_LT(least_of_a_batch(space, known), least_of_a_batch(space, {}));
}

TEST(Transfer, CostsAreComparedWithinATaskAlone) {
  if (!can_boost()) GTEST_SKIP() << "XGBoost (libxgboost-dev) is not here";
  const KnobSpace space = toy_space(blind);
  Transfer near, far;
  near.add(space.knobs(), trials_of(space, 100, 1));
  near.add(space.knobs(), trials_of(space, 100, 1));
  far.add(space.knobs(), trials_of(space, 100, 1));
  far.add(space.knobs(), trials_of(space, 100, 1e6));
  const Point point{24, 20, 2};
  for (const char* name : {"residual", "regression", "rank"}) {
    const auto scored = [&](const Transfer& transfer) {
      const auto model = model_named(name).make();
      model->fit(transfer.samples_for(space));
      return model->score(row_of(space, point, 100), 100);
    };
    EXPECT_NEAR(scored(near), scored(far), 1e-3 * (1 + std::abs(scored(near)))) << name;
  }
}

}  // namespace
}  // namespace vdla::tune
