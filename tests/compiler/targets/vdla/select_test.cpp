// SPDX-License-Identifier: Apache-2.0
// Rows, columns and channels of images, by DMA alone.
#include <gtest/gtest.h>

#include <numeric>
#include <tuple>
#include <variant>

#include "compiler/expr/expr.h"
#include "compiler/targets/vdla/templates/from_graph.h"
#include "compiler/targets/vdla/templates/places.h"
#include "tests/compiler/targets/vdla/harness.h"

namespace vdla::pipeline::device {
namespace {

using Numbers = std::vector<std::int64_t>;

std::vector<isa::Geometry> arrays() { return {tiny(), paper(), oblong(), broad(), pairs(), quads()}; }

std::int64_t drawn(std::mt19937& random, std::int64_t least, std::int64_t most) {
  return std::uniform_int_distribution<std::int64_t>(least, most)(random);
}

/// Places as slices, repetitions, mirrors, borders and chance have them.
Numbers drawn_places(std::int64_t extent, std::mt19937& random) {
  Numbers places;
  const std::int64_t count = drawn(random, 1, 12), step = drawn(random, 1, 3);
  switch (drawn(random, 0, 4)) {
    case 0:
      for (std::int64_t i = drawn(random, 0, extent - 1); i < extent; i += step) places.push_back(i);
      break;
    case 1:
      for (std::int64_t i = 0; i < extent * step; ++i) places.push_back(i / step);
      break;
    case 2:
      for (std::int64_t i = 0; i < count; ++i) places.push_back(std::abs(i - count / 2) % extent);
      break;
    case 3:
      for (std::int64_t i = -step; i < extent + 2; ++i)
        places.push_back(i < 0 || i >= extent ? Select::kNowhere : i);
      break;
    default:
      for (std::int64_t i = 0; i < count; ++i) places.push_back(drawn(random, -1, extent - 1));
  }
  return places;
}

Select drawn_select(const isa::Geometry& g, std::mt19937& random) {
  Select op;
  op.name = "select";
  op.in = {drawn(random, 1, 7), drawn(random, 1, 7), drawn(random, 1, 3 * channel_block(g))};
  op.rows = drawn_places(op.in.h, random);
  op.columns = drawn_places(op.in.w, random);
  op.channel = drawn(random, 0, op.in.c - 1);
  op.out = {static_cast<std::int64_t>(op.rows.size()), static_cast<std::int64_t>(op.columns.size()),
            drawn(random, 1, op.in.c - op.channel)};
  op.value = static_cast<std::int32_t>(drawn(random, -128, 127));
  return op;
}

TEST(Select, TakesRowsColumnsAndChannels) {
  std::mt19937 random(11);
  for (const isa::Geometry& g : arrays()) {
    int taken = 0;
    for (int i = 0; i < 40 && taken < 12; ++i) {
      const Select op = drawn_select(g, random);
      if (unsupported(op, g)) continue;
      ++taken;
      expect_exact(op, g, random, taken % 2 == 0 ? Knobs() : Knobs(TileKnobs{2, 3, 1, 1}));
      if (::testing::Test::HasFatalFailure()) return;
    }
    EXPECT_EQ(taken, 12);
  }
}

/// An image of twice the size is four copies, whatever its size is.
TEST(Select, RepeatsPixelsInAsManyCopiesAsRepetitions) {
  Numbers twice;
  for (std::int64_t i = 0; i < 20; ++i) twice.push_back(i / 2);
  EXPECT_EQ(runs_of(twice).size(), 2u);
  EXPECT_EQ(runs_of(Numbers(9, 0)).size(), 1u);
  EXPECT_EQ(runs_of({0, 2, 4, 6}).size(), 1u);
  EXPECT_EQ(runs_of({2, 1, 0, 1, 2, 3, 2}).size(), 4u) << "no copy goes backwards";
  EXPECT_EQ(runs_of({-1, -1, 0, 1, 2, -1}).size(), 3u);
}

TEST(Select, OfChannelsThatEndBehindThePixelsBlocksReadsTheLastOneTwice) {
  std::mt19937 random(12);
  for (const isa::Geometry& g : arrays()) {
    const std::int64_t block = channel_block(g);
    Select op;
    op.name = "select";
    op.in = {2, 3, 3 * block};
    op.rows = {1, 1, Select::kNowhere};
    op.columns = {0, 2};
    op.value = 5;
    for (op.channel = 1; op.channel <= 2 * block; ++op.channel) {
      op.out = {3, 2, op.in.c - op.channel};
      expect_exact(op, g, random);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Select, OfChannelsWithinTheLastBlockSaysSo) {
  Select op;
  op.name = "select";
  op.in = {1, 1, 8};
  op.rows = op.columns = {0};
  op.out = {1, 1, 4};
  op.channel = 4;
  EXPECT_EQ(unsupported(op, tiny()), std::nullopt);
  op.out = {1, 1, 3};
  op.channel = 5;
  EXPECT_EQ(unsupported(op, tiny()),
            "its 3 channels from 5 on end within a block, which would reach beyond the pixel");
}

/// A graph whose input is an int8 tensor.
struct OneInput {
  graph::Graph graph;
  graph::TensorId x;

  explicit OneInput(const graph::Shape& shape) {
    x = graph.add_tensor({"x", graph::DataType::Int8, shape, {}, nullptr});
    graph.add_input(x);
  }
  graph::TensorId gather(graph::TensorId from, const Numbers& places, int axis) {
    const std::string name = "gather" + std::to_string(graph.nodes.size());
    const auto indices =
        graph.add_constant(name + "/i", graph::DataType::Int64, {static_cast<std::int64_t>(places.size())},
                           graph::to_bytes(places));
    return graph.add_node(name, graph::Gather{axis}, {from, indices});
  }
  graph::TensorId view(graph::TensorId from, graph::View op) {
    return graph.add_node("view" + std::to_string(graph.nodes.size()), std::move(op), {from});
  }
  LayerOrNot last() const { return layer_of(graph, graph.nodes.back(), tiny()); }
};

/// Steps of `rank` dimensions, 1 along one.
graph::Source along(std::size_t rank, std::size_t k, std::int64_t offset = 0, std::int64_t step = 1) {
  graph::Source s{offset, graph::Extents(rank), 1};
  s.step[k] = step;
  return s;
}

TEST(Select, GathersOfRowsAndColumnsAreOneLayer) {
  OneInput g({2, 2, 3, 8});
  g.gather(g.gather(g.x, {0, 0, 1, 1}, 1), {-1, 0, 7}, 2);
  const LayerOrNot layer = g.last();
  ASSERT_TRUE(std::holds_alternative<Layer>(layer)) << std::get<WhyNot>(layer).reason;
  const auto& op = std::get<Select>(std::get<Layer>(layer).op);
  EXPECT_EQ(std::get<Layer>(layer).inputs, std::vector{g.x});
  EXPECT_EQ(op.rows, (Numbers{0, 0, 1, 1, 2, 2, 3, 3})) << "of two images";
  EXPECT_EQ(op.columns, (Numbers{2, 0, 2})) << "indices count from the end, and are limited";
}

TEST(Select, ViewsAreSlicesAndBorders) {
  OneInput g({1, 5, 6, 12});
  graph::View slice{{1, 2, 6, 4}, {along(4, 0), along(4, 1, 1, 2), along(4, 2), along(4, 3, 8)}};
  g.view(g.view(g.x, {{1, 7, 6, 12},
                      {along(4, 0), along(4, 1, -1), along(4, 2), along(4, 3)},
                      graph::Outside::Reflect,
                      {}}),
         slice);
  const LayerOrNot layer = g.last();
  ASSERT_TRUE(std::holds_alternative<Layer>(layer)) << std::get<WhyNot>(layer).reason;
  const auto& op = std::get<Select>(std::get<Layer>(layer).op);
  EXPECT_EQ(op.rows, (Numbers{0, 2}));
  EXPECT_EQ(op.columns, (Numbers{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(op.channel, 8);
}

TEST(Select, AViewThatPadsChannelsIsAConcatenation) {
  OneInput g({1, 5, 6, 12});
  const graph::View wider{{1, 5, 6, 17},
                          {along(4, 0), along(4, 1), along(4, 2), along(4, 3, -2)},
                          graph::Outside::Fill,
                          expr::number(-7, expr::DType::I8)};
  g.view(g.gather(g.x, {1, 0, 2, 3, 4}, 1), wider);
  const LayerOrNot layer = g.last();
  ASSERT_TRUE(std::holds_alternative<Layer>(layer)) << std::get<WhyNot>(layer).reason;
  const auto& op = std::get<Concat>(std::get<Layer>(layer).op);
  EXPECT_EQ(op.inputs, std::vector{(Image{5, 6, 12})});
  EXPECT_EQ(std::tuple(op.before, op.after, op.value), std::tuple(2, 3, -7));
  EXPECT_EQ(std::get<Layer>(layer).inputs, g.graph.nodes.back().inputs) << "the gather is a layer of its own";
}

TEST(Select, RefusesWhatIsNoRowColumnOrChannel) {
  const auto reason = [](const OneInput& g) {
    const LayerOrNot layer = g.last();
    return std::holds_alternative<WhyNot>(layer) ? std::get<WhyNot>(layer).reason : "";
  };
  OneInput turned({1, 4, 5, 8});
  turned.view(turned.x, {{1, 5, 4, 8}, {along(4, 0), along(4, 2), along(4, 1), along(4, 3)}});
  EXPECT_EQ(reason(turned),
            "dimension 2 of its result goes through dimension 1 of its input, the device moves rows, columns "
            "and channels");
  OneInput strided({1, 4, 5, 8});
  strided.view(strided.x, {{1, 4, 5, 4}, {along(4, 0), along(4, 1), along(4, 2), along(4, 3, 0, 2)}});
  EXPECT_EQ(reason(strided), "its channels do not follow each other in its input");
  OneInput both({1, 4, 5, 8});
  both.view(both.x, {{1, 3, 5, 9},
                     {along(4, 0), along(4, 1), along(4, 2), along(4, 3)},
                     graph::Outside::Fill,
                     expr::number(0, expr::DType::I8)});
  EXPECT_EQ(reason(both), "it pads channels and moves others, the device does one of them");
  OneInput backwards({1, 70, 1, 8});
  Numbers places(70);
  std::iota(places.rbegin(), places.rend(), 0);
  backwards.gather(backwards.x, places, 1);
  EXPECT_EQ(reason(backwards), "its rows and columns take 70 copies, the device makes 64 at most");
}

}  // namespace
}  // namespace vdla::pipeline::device
