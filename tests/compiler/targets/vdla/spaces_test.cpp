// SPDX-License-Identifier: Apache-2.0
// The knobs of the device's layers against brute force over all values of all of them, and a sample of the
// points that they draw on the machines that come with the kit.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>

#include "compiler/targets/vdla/templates/spaces.h"
#include "compiler/targets/vdla/templates/templates.h"
#include "support/error.h"
#include "tests/compiler/targets/vdla/harness.h"
#include "tests/compiler/targets/vdla/legal_points.h"

namespace vdla::pipeline::device {
namespace {

struct Counts {
  int tried = 0, legal = 0, in_space = 0, held = 0;
};

/// `all` tried, against the space of the layer.
template <class K>
void compare(const char* name, const Op& op, const std::vector<K>& all, const isa::Geometry& g,
             const std::function<Point(const K&)>& to_point) {
  const auto layer = layer_space(op, g, {}, {}, g.inp_depth);
  ASSERT_TRUE(layer);
  Counts counts;
  for (const K& k : all) {
    ++counts.tried;
    const bool is_legal = legal(op, k, g), in_space = layer->space.legal(to_point(k));
    counts.legal += is_legal;
    counts.in_space += in_space;
    counts.held += is_legal && in_space;
  }
  fmt::print("{}: {} points by brute force, {} legal; {} in the space, {} of the legal ones ({:.1f} %)\n",
             name, counts.tried, counts.legal, counts.in_space, counts.held,
             100.0 * counts.held / counts.legal);
  EXPECT_GT(counts.legal, 0);
  EXPECT_LT(counts.legal, counts.tried) << "nothing is pruned";
  EXPECT_GE(counts.held * 100, counts.legal * 95);
  EXPECT_EQ(counts.held, counts.in_space) << "a tuner tries points in vain";
}

std::vector<ConvKnobs> all_conv_knobs(const Space& s) {
  std::vector<ConvKnobs> all;
  for (std::int64_t h = 1; h <= s.out_h; ++h)
    for (std::int64_t w = 1; w <= s.out_w; ++w)
      for (std::int64_t n = 1; n <= s.out_blocks; ++n)
        for (std::int64_t c = 1; c <= s.in_blocks; ++c)
          for (std::int64_t rows = 1; rows <= s.window.kernel_h; ++rows)
            for (std::int64_t store = 1; store <= n; ++store)
              for (Reuse reuse : {Reuse::Stream, Reuse::KeepInput, Reuse::KeepWeights})
                // With the weights kept, load_n means nothing: one value of it.
                for (const bool corrected : {false, true}) {
                  if (corrected && !s.corrects) continue;
                  const std::int64_t most = n + (corrected ? 1 : 0);
                  for (std::int64_t load = reuse == Reuse::KeepWeights ? most : 1; load <= most; ++load)
                    all.push_back({h, w, n, c, rows, load, store, reuse, 1, corrected});
                }
  return all;
}

std::vector<TileKnobs> all_tile_knobs(const Space& s) {
  std::vector<TileKnobs> all;
  for (std::int64_t h = 1; h <= s.out_h; ++h)
    for (std::int64_t w = 1; w <= s.out_w; ++w)
      for (std::int64_t c = 1; c <= s.out_blocks; ++c)
        for (std::int64_t rows = 1; rows <= s.window.kernel_h; ++rows) all.push_back({h, w, c, rows});
  return all;
}

Conv2d conv(const Image& in, const Image& out, const SlidingWindow& window) {
  Conv2d op;
  op.name = "conv";
  op.in = in;
  op.out = out;
  op.window = window;
  op.input_zero = 3;
  std::mt19937 random(1);
  randomise(op, random);
  return op;
}

void compare_conv(const char* name, const Conv2d& op, const isa::Geometry& g) {
  const Space s = space_of(op, g);
  compare<ConvKnobs>(name, op, all_conv_knobs(s), g, [&](const ConvKnobs& k) { return point_of(k, s); });
}

/// With buffers in which most tiles find no room.
isa::Geometry narrow(isa::Geometry g) {
  g.inp_depth = 32;
  g.wgt_depth = 16;
  g.acc_depth = 32;
  g.out_depth = 16;
  return g;
}

TEST(Spaces, HoldTheLegalPointsOfA3x3Convolution) {
  const isa::Geometry g = narrow(tiny());
  const Conv2d op = conv({4, 4, 8}, {4, 4, 12}, {3, 3, 1, 1, 1, 1, 1, 1});
  compare_conv("conv 3x3, 4x4x8 to 4x4x12", op, g);
}

TEST(Spaces, HoldTheLegalPointsOfAConvolutionWithAWeightZeroPoint) {
  const isa::Geometry g = narrow(tiny());
  Conv2d op = conv({4, 4, 8}, {4, 4, 16}, {1, 1, 1, 1, 1, 1, 0, 0});
  op.weight_zero = 7;
  compare_conv("conv 1x1 with a zero point, 4x4x8 to 4x4x16", op, g);
}

TEST(Spaces, HoldTheLegalPointsOfA1x1ConvolutionOfStride2) {
  const isa::Geometry g = narrow(oblong());
  const Conv2d op = conv({7, 7, 24}, {4, 4, 16}, {1, 1, 2, 2, 1, 1, 0, 0});
  compare_conv("conv 1x1 stride 2, 7x7x24 to 4x4x16", op, g);
}

TEST(Spaces, HoldTheLegalPointsOfADepthwiseConvolution) {
  isa::Geometry g = narrow(tiny());
  g.inp_depth = 64;
  g.par_depth = 32;
  DepthwiseConv2d op;
  op.name = "depthwise";
  op.in = op.out = {9, 8, 12};
  op.window = {3, 3, 1, 1, 1, 1, 1, 1};
  std::mt19937 random(2);
  randomise(op, random);
  const Space s = space_of(op, g);
  compare<TileKnobs>("depthwise 3x3, 9x8x12", op, all_tile_knobs(s), g,
                     [](const TileKnobs& k) { return point_of(k); });
}

/// Values of constants do not tell layers apart; zero points with which the array takes more weights do.
TEST(Spaces, OfOtherSumsAreOtherTasks) {
  const auto product = [](std::int32_t weight_zero) {
    MatMul op;
    op.in = {1, 20, 32};
    op.columns = 40;
    op.weight_zero = weight_zero;
    return op;
  };
  std::mt19937 random(3);
  const auto multiplied = [&](std::int32_t weight_zero) {
    DepthwiseConv2d op;
    op.in = {5, 6, 8};
    op.out = {5, 6, 16};
    op.window = {3, 3, 1, 1, 1, 1, 1, 1};
    op.weight_zero = weight_zero;
    randomise(op, random);
    return op;
  };
  EXPECT_EQ(task_of(product(5)), task_of(product(-7)));
  EXPECT_EQ(task_of(multiplied(0)), task_of(multiplied(0)));
  EXPECT_NE(task_of(product(0)), task_of(product(5)));
  EXPECT_NE(task_of(multiplied(0)), task_of(multiplied(5)));
}

/// Of each layer: a sample, or as many as a campaign asks for.
int points_to_draw() {
  const char* wanted = std::getenv("VDLA_SPACE_POINTS");
  return wanted ? std::atoi(wanted) : 12;
}

TEST(Spaces, DrawPrograms) {
  for (const char* variant :
       {"tiny", "paper", "vta", "wide", VDLA_SOURCE_DIR "/examples/variants/mac64.json"})
    compare_drawn(variant, points_to_draw(), 5);
}

/// Points of a product of two sizes and a choice.
KnobSpace small_space() {
  return KnobSpace({{"a", 9, {}}, {"b", 4, {}}, {"how", 2, {"once", "twice"}}},
                   {.fits = [](const Point& p) { return p[0] * p[1] <= 12; },
                    .estimate = [](const Point& p) { return static_cast<double>(p[0]); },
                    .normal =
                        [](Point p) {
                          p[1] = std::min(p[1], p[0]);
                          return p;
                        }});
}

TEST(Spaces, DrawEveryLegalPoint) {
  const KnobSpace space = small_space();
  EXPECT_EQ(space.points(), 72);
  Random random(1);
  std::map<Point, int> drawn;
  for (int i = 0; i < 4000; ++i) ++drawn[space.sample(random).value()];
  int legal_points = 0;
  for (std::int64_t a = 1; a <= 9; ++a)
    for (std::int64_t b = 1; b <= 4; ++b)
      for (std::int64_t how : {1, 2}) legal_points += space.legal({a, b, how});
  EXPECT_EQ(legal_points, 32);
  EXPECT_EQ(drawn.size(), static_cast<std::size_t>(legal_points));
  for (const auto& [point, times] : drawn) EXPECT_GT(times, 4000 / legal_points / 2) << space.text(point);
}

TEST(Spaces, HaveNeighboursOneStepAway) {
  const KnobSpace space = small_space();
  // a = 5 and b = 4 find no room. a = 3 is a step away and cuts 9 into three. how has one other value.
  EXPECT_THAT(space.neighbours({4, 3, 1}),
              testing::UnorderedElementsAre(Point{3, 3, 1}, Point{4, 2, 1}, Point{4, 3, 2}));
  // Twice as far; b follows a, and 5 is the next that cuts 9 into other parts.
  EXPECT_THAT(space.neighbours({3, 2, 1}, 2),
              testing::UnorderedElementsAre(Point{1, 1, 1}, Point{2, 2, 1}, Point{5, 2, 1}, Point{3, 1, 1},
                                            Point{3, 3, 1}, Point{3, 2, 2}));
}

TEST(Spaces, ReadTheirPoints) {
  const KnobSpace space = small_space();
  EXPECT_EQ(space.text({4, 3, 2}), "a=4 b=3 how=twice");
  EXPECT_EQ(space.parse("a=4 b=3 how=twice"), (Point{4, 3, 2}));
  const auto refusal = [&](const char* text) {
    try {
      space.parse(text);
    } catch (const UserError& e) {
      return std::string(e.what());
    }
    return std::string("taken");
  };
  EXPECT_THAT(refusal("a=4 c=3 how=twice"), testing::HasSubstr("\"c=3\" where 'b=...' is needed"));
  EXPECT_THAT(refusal("a=10 b=3 how=twice"),
              testing::HasSubstr("knob 'a' is \"10\", needs a number from 1 to 9"));
  EXPECT_THAT(refusal("a=1 b=1 how=never"), testing::HasSubstr("needs one of once, twice"));
  EXPECT_THAT(refusal("a=1 b=1 how=once d=1"), testing::HasSubstr("\"d=1\", which is no knob here"));
}

}  // namespace
}  // namespace vdla::pipeline::device
