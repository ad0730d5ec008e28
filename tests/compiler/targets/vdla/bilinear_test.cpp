// SPDX-License-Identifier: Apache-2.0
// Weighted means of neighbours against the kernel contract, for the places of resized images.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <variant>
#include <vector>

#include "compiler/targets/vdla/templates/from_graph.h"
#include "support/error.h"
#include "tests/compiler/targets/vdla/harness.h"

namespace vdla::pipeline::device {
namespace {

using MeanPlaces = std::vector<Bilinear::Place>;
constexpr std::int64_t kParts = 1024;

enum class Aligned : std::uint8_t { HalfPixels, Corners, First };

/// Places along one dimension, as TFLite's kernel of int8 computes them.
MeanPlaces resized(std::int64_t in, std::int64_t out, Aligned how) {
  const bool corners = how == Aligned::Corners && out > 1;
  const std::int64_t scale =
      corners ? (kParts * (in - 1) + (out - 1) / 2) / (out - 1) : (kParts * in + out / 2) / out;
  MeanPlaces places;
  for (std::int64_t i = 0; i < out; ++i) {
    const std::int64_t at = std::max<std::int64_t>(
        how == Aligned::HalfPixels ? i * scale + scale / 2 - kParts / 2 : i * scale, 0);
    const std::int64_t first = std::min(at / kParts, in - 1), second = std::min(first + 1, in - 1);
    places.push_back({first, second, second == first ? 0 : at % kParts});
  }
  return places;
}

Bilinear resized(const Image& in, std::int64_t h, std::int64_t w, Aligned how, std::int32_t zero = 0) {
  return {"bilinear", in, {h, w, in.c}, resized(in.h, h, how), resized(in.w, w, how), kParts, zero};
}

TEST(Bilinear, EqualsTheKernelContract) {
  std::mt19937 random(7);
  for (const isa::Geometry& g : {tiny(), oblong(), paper(), pairs(), quads()}) {
    for (const std::int32_t zero : {0, -128}) {
      for (const Bilinear& op : {resized({5, 7, 21}, 10, 14, Aligned::HalfPixels, zero),
                                 resized({3, 4, 9}, 12, 16, Aligned::HalfPixels, zero),
                                 resized({5, 4, 16}, 10, 8, Aligned::First, zero),
                                 resized({5, 4, 3}, 9, 13, Aligned::Corners, zero),
                                 resized({8, 8, 5}, 4, 4, Aligned::HalfPixels, zero),
                                 resized({6, 5, 40}, 6, 10, Aligned::HalfPixels, zero),
                                 resized({1, 1, 4}, 8, 8, Aligned::HalfPixels, zero)}) {
        expect_exact(op, g, random);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Bilinear, IsCutIntoTiles) {
  std::mt19937 random(8);
  const Bilinear op = resized({9, 9, 21}, 18, 18, Aligned::HalfPixels);
  for (const isa::Geometry& g : {tiny(), paper(), pairs()})
    expect_exact(op, g, random, TileKnobs{2, 3, 1, 1});
}

/// Neighbours need not follow each other.
TEST(Bilinear, TakesAnyTwoRows) {
  std::mt19937 random(9);
  Bilinear op = resized({9, 9, 8}, 3, 3, Aligned::First);
  op.rows = {{0, 3, 256}, {3, 6, 256}, {5, 8, 256}};
  op.columns = {{8, 8, 5}, {0, 1, 1024}, {2, 2, 0}};
  for (const isa::Geometry& g : {tiny(), paper(), quads()}) expect_exact(op, g, random);
}

TEST(Bilinear, RefusesMoreKindsOfWeightsThanAreWorthTheirInstructions) {
  EXPECT_THAT(unsupported(resized({40, 40, 8}, 100, 90, Aligned::HalfPixels), paper()).value_or(""),
              ::testing::HasSubstr("kinds, the device takes 128 at most"));
  Bilinear op = resized({2, 2, 8}, 2, 2, Aligned::First);
  op.rows = op.columns = {{0, 1, 1}, {0, 1, 3}};
  EXPECT_EQ(unsupported(op, paper()), "its weights add up to 1048576, the device divides by at most 65535");
}

TEST(Bilinear, RefusesPlacesOutsideOfItsInput) {
  Bilinear op = resized({2, 2, 8}, 4, 4, Aligned::First);
  op.columns[3] = {1, 2, 5};
  EXPECT_THROW(check(op), UserError);
  op.columns[3] = {1, 0, 5};
  EXPECT_THROW(check(op), UserError);
}

TEST(Bilinear, TakesEachImageFromTheGraph) {
  graph::Graph g;
  const auto x = g.add_tensor({"x", graph::DataType::Int8, {2, 1, 2, 8}, {}, nullptr});
  const auto places = [&](const char* name, const std::vector<std::int32_t>& values) {
    return g.add_tensor({name, graph::DataType::Int32, {2, 3}, {}, graph::to_bytes(values)});
  };
  g.add_input(x);
  g.add_output(g.add_node("resize", graph::Bilinear{4, 3},
                          {x, places("rows", {0, 0, 0, 0, 0, 0}), places("columns", {0, 1, 1, 0, 1, 3})}));
  const LayerOrNot layer = layer_of(g, g.nodes[0], paper());
  ASSERT_TRUE(std::holds_alternative<Layer>(layer)) << std::get<WhyNot>(layer).reason;
  const auto& op = std::get<Bilinear>(std::get<Layer>(layer).op);
  EXPECT_EQ(op.in, (Image{2, 2, 8}));
  EXPECT_EQ(op.out, (Image{4, 2, 8}));
  ASSERT_EQ(op.rows.size(), 4U);
  EXPECT_EQ(op.rows[1].first, 0);
  EXPECT_EQ(op.rows[3].second, 1);
  EXPECT_EQ(op.columns[1].weight, 3);
  EXPECT_EQ(op.zero, 3);
}

}  // namespace
}  // namespace vdla::pipeline::device
