// SPDX-License-Identifier: Apache-2.0
// Packing taps into the lanes: the same numbers, only where it saves work, and explained. That the device
// computes it is tested in tests/e2e.
#include "compiler/pipeline/rewrite/pack.h"

#include <gmock/gmock.h>

#include "compiler/graph/pack_taps.h"
#include "compiler/pipeline/compile.h"
#include "compiler/pipeline/reference.h"
#include "isa/variants/variants.h"
#include "tests/compiler/pipeline/random_conv.h"

namespace vdla::pipeline {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> names(const graph::Graph& g) {
  std::vector<std::string> result;
  for (const graph::Node& n : g.nodes) result.push_back(n.name);
  return result;
}

/// x -> conv, k x k, stride 1, no padding.
graph::Graph plain(std::int64_t channels, std::int64_t kernel, std::int64_t groups = 1) {
  testing::ConvShape shape;
  shape.in = {1, 7, 7, channels};
  shape.weights = {4 * groups, kernel, kernel, channels / groups};
  shape.op.groups = groups;
  return testing::conv_graph(shape, 1);
}

CompileOptions options(const std::string& variant) {
  CompileOptions result;
  result.variant = isa::load_variant(variant);
  result.machine_code = false;
  return result;
}

graph::Graph pack_lanes(graph::Graph g, const CompileOptions& options) {
  GraphChoices choices;
  return pack_lanes(std::move(g), options, kept_off(options), choices);
}

TEST(PackTaps, KeepsEveryNumberOfRandomConvolutions) {
  std::mt19937 random(5);
  unsigned in_blocks = 0;
  for (unsigned trial = 0; trial < 240; ++trial) {
    testing::ConvShape shape = testing::random_conv(random, 5);
    if (trial % 2) shape.op.dilation = {};
    SCOPED_TRACE(testing::to_string(shape));
    const graph::Graph g = testing::conv_graph(shape, trial);
    graph::Packing packing = trial % 3 ? graph::Packing::Rows : graph::Packing::Windows;
    if (trial % 2 && blocks_of(g, g.node(0))) packing = graph::Packing::Blocks;
    in_blocks += packing == graph::Packing::Blocks;
    const graph::PackedNode all[] = {{0, packing}};
    const graph::Graph packed = graph::pack_taps(g, all);
    verify(packed);
    ASSERT_THAT(names(packed), ElementsAre("conv/taps", "conv"));
    EXPECT_EQ(macs(packed, packed.node(1)), macs(g, g.node(0)));
    const auto x = testing::conv_input(g, trial);
    EXPECT_EQ(Reference(packed).run(x), Reference(g).run(x));
  }
  EXPECT_GT(in_blocks, 60u);
}

TEST(PackTaps, BlocksNeedAStrideAndNoDilation) {
  testing::ConvShape shape{{1, 8, 8, 3}, {4, 3, 3, 3}, {}};
  const auto fits = [&] {
    const graph::Graph g = testing::conv_graph(shape, 1);
    return blocks_of(g, g.node(0)).has_value();
  };
  EXPECT_FALSE(fits());
  shape.op.stride = {2, 2};
  EXPECT_TRUE(fits());
  shape.op.dilation = {2, 1};
  EXPECT_FALSE(fits());
  // Rows that no window reaches would be blocks without an output.
  shape = {{1, 9, 9, 3}, {4, 2, 2, 3}, {}};
  shape.op.stride = {2, 2};
  EXPECT_FALSE(fits());
  shape.op.stride = {3, 3};
  EXPECT_TRUE(fits());
}

TEST(PackLanes, OnlyWhereItTakesFewerBlocks) {
  EXPECT_THAT(names(pack_lanes(plain(3, 3), options("paper"))), ElementsAre("conv/taps", "conv"));
  EXPECT_THAT(names(pack_lanes(plain(3, 3), options("tiny"))), ElementsAre("conv/taps", "conv"));
  EXPECT_THAT(names(pack_lanes(plain(8, 3), options("paper"))), ElementsAre("conv/taps", "conv"));
  EXPECT_THAT(names(pack_lanes(plain(8, 3), options("tiny"))), ElementsAre("conv"));
  EXPECT_THAT(names(pack_lanes(plain(16, 3), options("paper"))), ElementsAre("conv"));
  EXPECT_THAT(names(pack_lanes(plain(3, 1), options("paper"))), ElementsAre("conv"));
  EXPECT_THAT(names(pack_lanes(plain(6, 3, 2), options("paper"))), ElementsAre("conv"));
}

TEST(PackLanes, NotOnTheCpu) {
  CompileOptions cpu = options("paper"), forced = options("paper");
  cpu.use_device = false;
  forced.on_cpu = {"conv"};
  EXPECT_THAT(names(pack_lanes(plain(3, 3), cpu)), ElementsAre("conv"));
  EXPECT_THAT(names(pack_lanes(plain(3, 3), forced)), ElementsAre("conv"));
  EXPECT_EQ(compile(plain(3, 3), forced).nodes.at(0).reason, "placed there on request");
}

TEST(PackLanes, NotBehindADeviceNode) {
  graph::Graph g = plain(3, 3);
  const graph::TensorId w = g.nodes[0].inputs[1];
  graph::Graph chain;
  const auto x = chain.add_tensor({"x", graph::DataType::Int8, {1, 7, 7, 3}, {}, nullptr});
  chain.add_input(x);
  const auto weights = chain.add_constant("w", graph::DataType::Int8, g.tensor(w).shape, g.tensor(w).data);
  const auto clamped = chain.add_node("clamp", graph::Requantize{0, {{{}}, 0, 0, 100}}, {x});
  chain.add_output(chain.add_node("conv", graph::Conv2d{}, {clamped, weights}));
  EXPECT_THAT(names(pack_lanes(chain, options("paper"))), ElementsAre("clamp", "conv"));
  CompileOptions forced = options("paper");
  forced.on_cpu = {"clamp"};
  EXPECT_THAT(names(pack_lanes(chain, forced)), ElementsAre("clamp", "conv/taps", "conv"));
}

TEST(PackLanes, IsExplained) {
  const CompiledModel model = compile(plain(3, 3), options("paper"));
  ASSERT_EQ(model.nodes.size(), 2u);
  EXPECT_EQ(model.nodes[0].op, "im2col");
  EXPECT_EQ(model.nodes[0].place, Place::Cpu);
  EXPECT_EQ(model.nodes[0].reason, "layout conversion: 1x3 taps into the lanes, 147 bytes to 315");
  EXPECT_EQ(model.nodes[1].op, "conv2d");
  EXPECT_EQ(model.nodes[1].place, Place::Device);
  EXPECT_THAT(model.nodes[1].reason,
              ::testing::StartsWith("int8 layer that the device computes, its taps packed into the lanes"));
  EXPECT_EQ(model.nodes[1].macs, 5 * 5 * 4 * 27);
  EXPECT_EQ(model.nodes[1].bytes_to_device, 315);
}

}  // namespace
}  // namespace vdla::pipeline
