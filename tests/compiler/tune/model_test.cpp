// SPDX-License-Identifier: Apache-2.0
// Models that learn what points cost: rows, trees, and every row of the table.
#include "compiler/tune/model.h"

#include <gmock/gmock.h>

#include <cmath>

#include "compiler/tune/boosting.h"
#include "compiler/tune/trees.h"
#include "support/error.h"
#include "tests/compiler/tune/toy_space.h"

namespace vdla::tune {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// Right in one thing, the height; blind to the rest.
double half_right(const Point& p) {
  const double h = std::log2(static_cast<double>(p[0]) / 24);
  return 100 * (1 + h * h);
}

std::vector<Sample> samples(std::size_t count, std::uint64_t seed) {
  const KnobSpace space = toy_space(half_right);
  pipeline::Random random(seed);
  std::vector<Sample> all;
  while (all.size() < count) {
    const Point p = *space.sample(random);
    all.push_back({row_of(space, p, space.estimate(p)), space.estimate(p), toy_cost(p)});
  }
  return all;
}

/// Share of pairs whose order is right.
double pairs_in_order(const Model& model, const std::vector<Sample>& of) {
  double right = 0, all = 0;
  for (std::size_t i = 0; i < of.size(); ++i)
    for (std::size_t j = i + 1; j < of.size(); ++j) {
      if (of[i].cost == of[j].cost) continue;
      const bool less = model.score(of[i].row, of[i].estimate) < model.score(of[j].row, of[j].estimate);
      right += less == (of[i].cost < of[j].cost) ? 1 : 0;
      ++all;
    }
  return right / all;
}

TEST(Rows, HaveTheSameFiguresForTheSameShareOfALayer) {
  const KnobSpace space = toy_space();
  const auto row = row_of(space, {16, 64, 2}, 1024);
  // h: log, share, parts, what they add; w; order a, b, c; log of h * w; log of the estimate.
  EXPECT_THAT(row, ElementsAre(4, 0.25f, 2, 1, 6, 1, 0, 1, 0, 1, 0, 10, 10));
  EXPECT_THAT(row_of(space, {24, 1, 1}, 1)[3], FloatNear(72 / 64.f, 1e-6f)) << "three parts of 24 of 64";
}

TEST(Trees, AddUpTheirLeaves) {
  // x0 < 1 ? (x1 < 2 ? 1 : 2) : 4, and 0.5 whatever the row is.
  const Trees trees{
      {{-1, 1, 0, 0}, {-1, 2, 0, 0}, {1, 2, 0, 1}, {-1, 4, 0, 0}, {0, 1, 2, 3}, {-1, 0.5, 0, 0}}, {4, 5}};
  EXPECT_EQ(trees(std::vector<float>{0, 0}), 1.5);
  EXPECT_EQ(trees(std::vector<float>{0, 2}), 2.5);
  EXPECT_EQ(trees(std::vector<float>{1, 0}), 4.5);
  EXPECT_EQ(Trees{}(std::vector<float>{}), 0);
}

TEST(Models, TheAnalyticOneIsTheEstimate) {
  const auto model = model_named("analytic").make();
  model->fit(samples(50, 1));
  EXPECT_EQ(model->score(std::vector<float>(13), 42), 42);
}

TEST(Models, OneThatIsNotThereIsNamedWithThoseThatAre) {
  EXPECT_THAT([] { model_named("residul"); },
              ThrowsMessage<UserError>(HasSubstr(
                  "no model 'residul': there are analytic, residual, regression, rank, did you mean")));
}

TEST(Models, AllOfTheTableWorkOrSayWhatIsMissing) {
  const std::vector<Sample> told = samples(120, 1), others = samples(120, 2);
  for (const ModelKind& kind : models()) {
    SCOPED_TRACE(kind.name);
    if (kind.boosts && !can_boost()) {
      EXPECT_THAT([&] { model_named(kind.name); },
                  ThrowsMessage<UserError>(HasSubstr("install libxgboost-dev")));
      continue;
    }
    const auto model = kind.make(), again = kind.make();
    model->fit({});
    model->fit(told);
    again->fit(told);
    const double share = pairs_in_order(*model, others);
    if (kind.boosts) EXPECT_GT(share, 0.93) << "of points that it was not told";
    EXPECT_EQ(share, pairs_in_order(*again, others)) << "the same samples give the same model";
  }
  EXPECT_LT(pairs_in_order(*model_named("analytic").make(), others), 0.9)
      << "there must be something to learn";
}

TEST(Models, FewSamplesDoNotThrowTheEstimateOver) {
  if (!can_boost()) GTEST_SKIP() << "XGBoost is not here (Debian package libxgboost-dev)";
  const std::vector<Sample> others = samples(120, 2);
  const double by_estimate = pairs_in_order(*model_named("analytic").make(), others);
  const auto model = model_named("residual").make();
  model->fit(samples(4, 1));
  EXPECT_GT(pairs_in_order(*model, others), by_estimate - 0.08);
}

}  // namespace
}  // namespace vdla::tune
