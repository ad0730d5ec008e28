// SPDX-License-Identifier: Apache-2.0
// Property: where every split divides, no guard is left, however loops are split, tiled and ordered, and
// wherever producers are computed; and partitioning leaves no guard in the main part of an uneven one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "compiler/expr/dsl.h"
#include "compiler/loop/print.h"
#include "compiler/lower/lower.h"
#include "compiler/passes/pass.h"
#include "compiler/schedule/script.h"
#include "support/error.h"

namespace vdla::lower {
namespace {

using namespace vdla::expr;
using schedule::Schedule;
using schedule::Stage;

struct GuardedMatmul {
  Tensor a = placeholder("A", {12, 24}, DType::F32), b = placeholder("B", {24, 16}, DType::F32);
  IterVar k = reduce_axis(24, "k");
  Tensor c =
      compute("C", {12, 16}, [&](Value i, Value j) { return sum(a(i, k) * b(k, j), {k}); }, {"i", "j"});
};

/// Splits by divisors, and a new order.
void split_evenly(std::mt19937& random, Stage& stage) {
  for (int n = static_cast<int>(random() % 5); n > 0; --n) {
    IterVar axis = stage.leaves()[random() % stage.leaves().size()];
    std::vector<std::int64_t> divisors;
    for (std::int64_t d = 1; d <= axis.extent(); ++d) {
      if (axis.extent() % d == 0) divisors.push_back(d);
    }
    stage.split(axis, divisors[random() % divisors.size()]);
  }
  std::vector<IterVar> order = stage.leaves();
  std::shuffle(order.begin(), order.end(), random);
  stage.reorder(order);
}

TEST(Guards, NoneAreLeftWhereSplitsDivide) {
  GuardedMatmul m;
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    Schedule s({m.c});
    Tensor acc = s.cache_write(m.c, "acc"), tile = s.cache_read(m.a, "inp", {acc});
    split_evenly(random, s[m.c]);
    s[acc].compute_at(s[m.c], s[m.c].leaves()[random() % s[m.c].leaves().size()]);
    const std::string text = loop::to_string(lower(s, {m.a, m.b, m.c}, "f"));
    ASSERT_THAT(text, testing::Not(testing::HasSubstr("if "))) << "seed " << seed << "\n"
                                                               << schedule::to_script(s);
  }
}

TEST(Guards, PartitioningLeavesNoneInTheMainPart) {
  GuardedMatmul m;
  for (std::int64_t factor : {5, 7, 9, 10, 11}) {
    Schedule s({m.c});
    auto [io, ii] = s[m.c].split(s[m.c].axis(0), factor);
    auto [jo, ji] = s[m.c].split(s[m.c].axis(1), factor);
    auto [ko, ki] = s[m.c].split(m.k, factor);
    s[m.c].reorder({io, jo, ko, ki, ii, ji});
    loop::Func func = lower(s, {m.a, m.b, m.c}, "f");
    EXPECT_THAT(loop::to_string(func), testing::HasSubstr("if "));
    const std::vector<std::string> names{"partition-loops"};
    EXPECT_THAT(loop::to_string(passes::run_passes(func, names)), testing::Not(testing::HasSubstr("if ")))
        << "factor " << factor;
  }
}

}  // namespace
}  // namespace vdla::lower
