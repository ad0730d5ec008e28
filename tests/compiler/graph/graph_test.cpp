// SPDX-License-Identifier: Apache-2.0
// Building, shape inference, and the verifier.
#include "compiler/graph/graph.h"

#include <gmock/gmock.h>

#include "compiler/graph/shape.h"
#include "compiler/graph/sources.h"
#include "support/dimensions.h"
#include "support/error.h"

namespace vdla::graph {

// Passes, which the list of compiler/pipeline/rewrite declares for compiles.
Graph fold_boundary(Graph graph);
Graph fuse_clamp(Graph graph);

namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TensorId weights(Graph& g, Shape shape) {
  const auto size = static_cast<std::size_t>(element_count(shape));
  return g.add_constant("w", DataType::Int8, std::move(shape), to_bytes(std::vector<std::int8_t>(size, 1)));
}

Graph one_conv(Conv2d op, Shape x, Shape w) {
  Graph g;
  g.name = "net";
  const TensorId in = g.add_tensor({"x", DataType::Int8, std::move(x), {}, nullptr});
  g.add_input(in);
  g.add_output(g.add_node("conv", std::move(op), {in, weights(g, std::move(w))}));
  return g;
}

TEST(Graph, InfersConvolutionShapes) {
  Conv2d op;
  op.stride = {2, 1};
  op.dilation = {1, 2};
  op.pads = {1, 0, 2, 2};
  const Graph g = one_conv(op, {1, 9, 12, 4}, {6, 3, 3, 4});
  EXPECT_EQ(g.tensor(g.outputs[0].tensor).shape, (Shape{1, 4, 12, 6}));
  EXPECT_EQ(macs(g, g.nodes[0]), 4 * 12 * 6 * 3 * 3 * 4);
  EXPECT_NO_THROW(verify(g));
}

TEST(Graph, SamePaddingPutsTheOddPixelBehind) {
  EXPECT_EQ(same_padding(32, 3, 2, 1), (std::pair<std::int64_t, std::int64_t>{0, 1}));
  EXPECT_EQ(same_padding(32, 3, 1, 2), (std::pair<std::int64_t, std::int64_t>{2, 2}));
  EXPECT_EQ(same_padding(224, 7, 2, 1), (std::pair<std::int64_t, std::int64_t>{2, 3}));
}

TEST(Graph, WrongInputsNameTheNode) {
  EXPECT_THAT([] { one_conv({}, {1, 8, 8, 4}, {6, 3, 3, 5}); },
              ThrowsMessage<UserError>(
                  HasSubstr("node 'conv' (conv2d): weights 6x3x3x5 (OHWI) and 1 groups do not fit 4")));
  EXPECT_THAT([] { one_conv({}, {1, 2, 2, 4}, {6, 3, 3, 4}); },
              ThrowsMessage<UserError>(HasSubstr("kernel 3x3 is larger than its padded input 1x2x2x4")));
  EXPECT_THAT([] { one_conv({}, {8, 8, 4}, {6, 3, 3, 4}); },
              ThrowsMessage<UserError>(HasSubstr("input 0 has shape 8x8x4, needs 4 dimensions")));
  Conv2d op;
  op.out.multiplier.resize(5);
  EXPECT_THAT([&] { one_conv(op, {1, 8, 8, 4}, {6, 3, 3, 4}); },
              ThrowsMessage<UserError>(HasSubstr("has 5 multipliers, needs 1 or 6")));
}

TEST(Graph, AConvolutionHasNoMoreFillerThanWeights) {
  for (const std::int64_t filler : {std::int64_t{-1}, std::int64_t{37}}) {
    Conv2d op;
    op.filler = filler;
    const std::string said = "has a filler of " + std::to_string(filler) + ", needs 0 to 36";
    EXPECT_THAT([&] { one_conv(op, {1, 8, 8, 4}, {6, 3, 3, 4}); }, ThrowsMessage<UserError>(HasSubstr(said)));
  }
}

TEST(Graph, VerifierFindsBrokenGraphs) {
  Graph g = one_conv({}, {1, 8, 8, 4}, {6, 3, 3, 4});
  Graph twice = g;
  twice.nodes.push_back(twice.nodes[0]);
  EXPECT_THAT([&] { verify(twice); }, ThrowsMessage<InternalError>(HasSubstr("two nodes named 'conv'")));
  Graph shape = g;
  shape.tensor(shape.outputs[0].tensor).shape = {1, 6, 6, 7};
  EXPECT_THAT([&] { verify(shape); },
              ThrowsMessage<InternalError>(HasSubstr("writes 1x6x6x6, its tensor says 1x6x6x7")));
  Graph order = g;
  order.inputs.clear();
  EXPECT_THAT([&] { verify(order); }, ThrowsMessage<InternalError>(HasSubstr("before it is written")));
}

TEST(Graph, FindNodeListsWhatIsThere) {
  const Graph g = one_conv({}, {1, 8, 8, 4}, {6, 3, 3, 4});
  EXPECT_EQ(find_node(g, "conv"), 0);
  EXPECT_THAT([&] { find_node(g, "cnov"); },
              ThrowsMessage<UserError>(HasSubstr("no node 'cnov' in the network")));
}

TEST(Graph, KnowsTheClassAndTheWorkOfANode) {
  const Graph g = one_conv({}, {1, 8, 8, 4}, {6, 3, 3, 4});
  EXPECT_EQ(fusion_class_of(g.nodes[0].op), FusionClass::ComplexOutFusable);
  EXPECT_EQ(macs(g, g.nodes[0]), 6 * 6 * 6 * 36);
}

TEST(Graph, ATensorHasAtMostTheDimensionsOfAnArray) {
  Graph g;
  const auto add = [&](std::size_t rank) {
    g.add_tensor({"x", DataType::Int8, Shape(rank, 1), {}, nullptr});
  };
  EXPECT_NO_THROW(add(kMostDimensions));
  EXPECT_THAT([&] { add(100'000); },
              ThrowsMessage<UserError>(HasSubstr("tensor 'x' has 100000 dimensions, needs at most 64")));
}

constexpr int kMany = 10'000;

/// All nodes were looked through for each input: quadratic time.
TEST(FoldBoundary, ThousandsOfPortsTakeLinearTime) {
  Graph g;
  for (int i = 0; i < kMany; ++i) {
    const std::string n = std::to_string(i);
    g.add_input(g.add_tensor({"x" + n, DataType::Float32, {2}, {}, nullptr}));
    const TensorId q = g.add_node("q" + n, Quantize{0.5F, 3}, {g.inputs.back().tensor});
    const TensorId y = g.add_node("y" + n, Maximum{}, {q, q});
    g.add_output(g.add_node("d" + n, Dequantize{0.25F, -1}, {y}));
  }
  const Graph folded = fold_boundary(std::move(g));
  ASSERT_EQ(folded.nodes.size(), std::size_t{kMany});
  for (const Node& node : folded.nodes) EXPECT_TRUE(std::holds_alternative<Maximum>(node.op));
  verify(folded);
}

/// All nodes were looked through for each clamp: quadratic time.
TEST(FuseClamp, ThousandsOfClampsTakeLinearTime) {
  Graph g;
  g.add_input(g.add_tensor({"x", DataType::Int8, {2}, {}, nullptr}));
  Requantize step{0, {{{1 << 30, 0}}, 0, -128, 127}}, clamp{0, {{{1 << 30, 1}}, 0, -100, 100}};
  TensorId y = g.inputs[0].tensor;
  for (int i = 0; i < kMany; ++i) {
    y = g.add_node("step" + std::to_string(i), step, {y});
    y = g.add_node("clamp" + std::to_string(i), clamp, {y});
  }
  g.add_output(y);
  const Graph fused = fuse_clamp(std::move(g));
  EXPECT_EQ(fused.nodes.size(), std::size_t{kMany});
  verify(fused);
}

/// Each of n partial results named all tensors before it.
TEST(Sources, OfAChainOfTheCompilersOwnValuesAreBounded) {
  Graph g;
  TensorId sum = kNone;
  for (int i = 0; i < 2'000; ++i) {
    const std::string n = std::to_string(i);
    g.add_input(
        g.add_tensor({"x" + n, DataType::Int8, {2}, {}, nullptr, Sources{{"x" + n, Likeness::Same}}}));
    const TensorId x = g.inputs.back().tensor;
    sum = sum == kNone ? x : g.add_node("max" + n, Maximum{}, {sum, x});
  }
  g.add_output(sum);
  complete_sources(g);
  for (const Tensor& t : g.tensors) EXPECT_LE(t.sources.value().size(), 128u) << t.name;
  EXPECT_EQ(source_names(g).size(), 2'000u);
}

TEST(Graph, BroadcastFollowsNumpy) {
  EXPECT_EQ(broadcast({1, 4, 4, 8}, {8}), (Shape{1, 4, 4, 8}));
  EXPECT_EQ(broadcast({2, 1, 3}, {4, 1}), (Shape{2, 4, 3}));
  EXPECT_THAT([] { broadcast({2}, {3}); }, ThrowsMessage<UserError>(HasSubstr("do not broadcast")));
}

}  // namespace
}  // namespace vdla::graph
