// SPDX-License-Identifier: Apache-2.0
// Every search of the table on a space whose costs are known.
#include "compiler/tune/search.h"

#include <gmock/gmock.h>

#include <limits>
#include <set>

#include "compiler/tune/boosting.h"
#include "support/error.h"
#include "tests/compiler/tune/toy_space.h"

namespace vdla::tune {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// With its own model, where this build has it.
std::unique_ptr<Search> made(const SearchKind& kind, const KnobSpace& space, std::uint64_t seed) {
  const std::vector<Drafted> drafted = draft(space, seed);
  const ModelKind& model = model_named(kind.model.empty() || !can_boost() ? "analytic" : kind.model);
  return kind.make(space, {seed, drafted, &model});
}

class EverySearch : public ::testing::TestWithParam<SearchKind> {
 protected:
  /// The points of so many trials, in batches.
  std::vector<Point> trials(const KnobSpace& space, std::size_t count, std::uint64_t seed = 1) const {
    const auto search = made(GetParam(), space, seed);
    std::vector<Point> all;
    while (all.size() < count) {
      const auto batch = search->propose(std::min<std::size_t>(8, count - all.size()));
      if (batch.empty()) break;
      for (const Point& p : batch) search->told(p, toy_cost(p));
      all.insert(all.end(), batch.begin(), batch.end());
    }
    return all;
  }
};

TEST_P(EverySearch, ProposesLegalPointsAndNoneTwice) {
  const KnobSpace space = toy_space();
  const auto all = trials(space, 200);
  EXPECT_EQ(all.size(), 200u);
  EXPECT_EQ(std::set<Point>(all.begin(), all.end()).size(), all.size());
  for (const Point& p : all) EXPECT_TRUE(space.legal(p)) << space.text(p);
}

TEST_P(EverySearch, IsTheSameForASeed) {
  const KnobSpace space = toy_space();
  EXPECT_EQ(trials(space, 100, 7), trials(space, 100, 7));
  EXPECT_NE(trials(space, 100, 7), trials(space, 100, 8));
}

TEST_P(EverySearch, EndsWhereAllIsTried) {
  const KnobSpace space({{"h", 3, {}}, {"w", 2, {}}, {"order", 2, {"a", "b"}}},
                        {[](const Point&) { return true; }, toy_cost, [](Point p) { return p; }});
  EXPECT_EQ(trials(space, 100).size(), 12u);
}

TEST_P(EverySearch, LivesWithPointsThatHaveNoCost) {
  const KnobSpace space = toy_space();
  const auto search = made(GetParam(), space, 1);
  for (int batch = 0; batch < 20; ++batch)
    for (const Point& p : search->propose(8)) search->told(p, std::nullopt);
  EXPECT_FALSE(search->propose(8).empty());
}

class SearchThatLearns : public EverySearch {};

TEST_P(SearchThatLearns, IsBetterThanDrawing) {
  // With the estimate in the place of its model it learns nothing.
  if (!GetParam().model.empty() && !can_boost())
    GTEST_SKIP() << "XGBoost is not here (Debian package libxgboost-dev)";
  // The estimate believes in another place, and knows nothing of the order.
  const KnobSpace space = toy_space([](const Point& p) {
    return 1 + std::abs(std::log2(static_cast<double>(p[0]) / 12)) +
           std::abs(std::log2(static_cast<double>(p[1]) / 36));
  });
  const auto least = [&](const SearchKind& kind, std::uint64_t seed) {
    const auto search = made(kind, space, seed);
    double best = std::numeric_limits<double>::infinity();
    for (int batch = 0; batch < 16; ++batch)
      for (const Point& p : search->propose(8)) {
        best = std::min(best, toy_cost(p));
        search->told(p, toy_cost(p));
      }
    return best;
  };
  double here = 0, drawn = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    here += least(GetParam(), seed) - 100;
    drawn += least(search_named("random"), seed) - 100;
  }
  EXPECT_LT(here, 0.8 * drawn) << "summed distance from the least cost over 8 seeds";
}

std::string name_of(const ::testing::TestParamInfo<SearchKind>& info) { return std::string(info.param.name); }

std::vector<SearchKind> all_but_random() {
  std::vector<SearchKind> kinds(searches().begin(), searches().end());
  std::erase_if(kinds, [](const SearchKind& kind) { return kind.name == "random"; });
  return kinds;
}

INSTANTIATE_TEST_SUITE_P(All, EverySearch, ::testing::ValuesIn(searches().begin(), searches().end()),
                         name_of);
INSTANTIATE_TEST_SUITE_P(All, SearchThatLearns, ::testing::ValuesIn(all_but_random()), name_of);

TEST(Searches, OneThatIsNotThereIsNamedWithThoseThatAre) {
  EXPECT_THAT([] { search_named("lokal"); },
              ThrowsMessage<UserError>(
                  HasSubstr("no search 'lokal': there are hybrid, local, anneal, genetic, random")));
}

}  // namespace
}  // namespace vdla::tune
