// SPDX-License-Identifier: Apache-2.0
// Property: whatever legal schedule is drawn, over all primitives, and whatever passes run, the interpreted
// function computes the same values as plain loops in C++.
#include "tests/compiler/lower/random_schedule.h"

#include <gtest/gtest.h>

#include <set>

#include "compiler/loop/print.h"
#include "compiler/passes/target.h"
#include "tests/compiler/lower/random_grid.h"

namespace vdla::lower {
namespace {

class RandomSchedule : public testing::TestWithParam<std::size_t> {};

TEST_P(RandomSchedule, LeavesTheResultUnchanged) {
  const Problem problem = random_problem(GetParam());
  const auto [first, count] = drawn_part(problem.name, candidates_to_draw(100));
  const int legal =
      check_candidates(problem, first + 100000 * static_cast<unsigned>(GetParam() + 1), count, interpret);
  EXPECT_GE(legal, count / problem.legal_in) << problem.name;
}
INSTANTIATE_TEST_SUITE_P(Problems, RandomSchedule,
                         testing::Range(std::size_t{0}, random_problem_names().size()),
                         [](const auto& info) { return random_problem_names()[info.param]; });

TEST_P(RandomSchedule, EachRowOfTheTableOfLoweringKeepsItsRuleAndTheResult) {
  const Problem problem = random_problem(GetParam());
  const auto [first, count] = drawn_part(problem.name + " by rows", candidates_to_draw(40));
  const int legal =
      check_candidates(problem, first + 50000 + 100000 * static_cast<unsigned>(GetParam() + 1), count,
                       [](const loop::Func& func, const auto& arguments) {
                         interpret(passes::lower(passes::cpu_target(), func, passes::Verify::Yes), arguments);
                       });
  EXPECT_GE(legal, count / (2 * problem.legal_in)) << problem.name;
}

TEST_P(RandomSchedule, EachRowOfTheTableOfAGridKeepsItsRuleAndTheResult) {
  const Problem problem = random_problem(GetParam());
  const auto [first, count] = drawn_part(problem.name + " on a grid", candidates_to_draw(96) / 4);
  const int legal = check_candidates(
      problem, first + 70000 + 100000 * static_cast<unsigned>(GetParam() + 1), count,
      [](const loop::Func& func, const auto& arguments) {
        interpret(passes::lower(passes::opencl_target(), func, passes::Verify::Yes), arguments);
      },
      draw_grid_candidate);
  // A recurrence would launch a grid in each step of time, which is refused.
  EXPECT_GE(legal, problem.name == "recurrence" ? 0 : count / 4) << problem.name;
}

TEST(RandomSchedules, EveryPrimitiveAndPassIsDrawnInLegalOnes) {
  std::set<std::string> seen;
  const std::vector<Problem> problems = random_problems();
  for (unsigned seed = 0; seed < 600; ++seed) {
    const Problem& problem = problems[seed % problems.size()];
    Candidate candidate = draw_candidate(problem, seed);
    auto nothing = [](const loop::Func&, const auto&) {};
    if (!failure_of(problem, candidate, nothing)) continue;
    for (const std::string& line : candidate.script) seen.insert(line.substr(0, line.find(' ')));
    seen.insert(candidate.passes.begin(), candidate.passes.end());
  }
  for (const char* name : {"split",
                           "fuse",
                           "reorder",
                           "unroll",
                           "vectorize",
                           "parallel",
                           "bind",
                           "compute_at",
                           "compute_inline",
                           "compute_root",
                           "double_buffer",
                           "hold",
                           "set_scope",
                           "share_storage",
                           "pad_in_place",
                           "rolling_buffer",
                           "pad_stride",
                           "tensorize",
                           "cache_read",
                           "cache_write",
                           "rfactor",
                           "simplify",
                           "double-buffer",
                           "lower-vthreads",
                           "partition-loops",
                           "vectorize",
                           "unroll",
                           "rewrite-storage",
                           "insert-barriers",
                           "flatten-storage",
                           "serialise-threads"}) {
    EXPECT_TRUE(seen.contains(name)) << name;
  }
}

TEST(RandomSchedules, AFailureIsShrunkToTheLinesThatItNeeds) {
  // A runner with a fault: it does not run functions that have a vectorized loop and a memory @shared.
  const Problem problem = random_problem(0);
  Candidate candidate{{"cache_read A shared C", "split C i 3", "split D j 4", "vectorize D j.i",
                       "parallel C i.o", "unroll C k", "split A.shared ax1 2"},
                      {"simplify", "unroll"}};
  auto faulty = [](const loop::Func& func, const std::vector<std::span<std::byte>>& arguments) {
    std::string text = loop::to_string(func);
    bool stops = text.find("vectorized") != std::string::npos && text.find("@shared") != std::string::npos;
    if (!stops) interpret(func, arguments);
  };
  auto fails = [&](const Candidate& c) {
    auto failure = failure_of(problem, c, faulty);
    return failure && !failure->empty();
  };
  ASSERT_TRUE(fails(candidate));
  EXPECT_EQ(to_string(shrink(candidate, fails)),
            "cache_read A shared C\nsplit D j 4\nvectorize D j.i\n# passes: \n");
}

}  // namespace
}  // namespace vdla::lower
