// SPDX-License-Identifier: Apache-2.0
// Graph passes by their printed result, and the memory plan by its property. That passes keep the meaning is
// tested with the interpreter in tests/compiler/pipeline.
#include <gmock/gmock.h>

#include <random>

#include "compiler/graph/drop_dead.h"
#include "compiler/graph/fold_boundary.h"
#include "compiler/graph/fold_pad.h"
#include "compiler/graph/fold_transpose.h"
#include "compiler/graph/fuse_clamp.h"
#include "compiler/graph/memory_plan.h"
#include "compiler/graph/simplify_reshape.h"

namespace vdla::graph {
namespace {

using ::testing::ElementsAre;

struct Net {
  Graph g;
  TensorId input(Shape shape, DataType type = DataType::Int8) {
    const TensorId id = g.add_tensor({"x", type, std::move(shape), {}, nullptr});
    g.add_input(id);
    return id;
  }
  TensorId ramp(Shape shape) {
    std::vector<std::int8_t> values(static_cast<std::size_t>(element_count(shape)));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int8_t>(i);
    return g.add_constant("w", DataType::Int8, std::move(shape), to_bytes(values));
  }
  Net& output(TensorId id) {
    g.add_output(id);
    verify(g);
    return *this;
  }
};

std::vector<std::string> names(const Graph& g) {
  verify(g);
  std::vector<std::string> result;
  for (const Node& n : g.nodes) result.push_back(n.name);
  return result;
}

TEST(DropDead, KeepsWhatOutputsNeed) {
  Net net;
  const TensorId x = net.input({4});
  const TensorId a = net.g.add_node("a", Reshape{{2, 2}}, {x});
  const TensorId b = net.g.add_node("b", Reshape{{4}}, {a});
  net.g.add_node("unread", Reshape{{4, 1}}, {b});
  EXPECT_THAT(names(drop_dead(net.output(b).g)), ElementsAre("a", "b"));
}

TEST(FoldPad, TakesThePadIntoTheConvolution) {
  Net net;
  Conv2d conv;
  conv.input_zero_point = -3;
  conv.pads = {0, 1, 0, 1};
  const TensorId padded =
      net.g.add_node("pad", Pad{{0, 1, 2, 0}, {0, 1, 0, 0}, -3}, {net.input({1, 6, 6, 2})});
  const Graph g = fold_pad(net.output(net.g.add_node("conv", conv, {padded, net.ramp({4, 3, 3, 2})})).g);
  EXPECT_THAT(names(g), ElementsAre("conv"));
  EXPECT_EQ(std::get<Conv2d>(g.nodes[0].op).pads, (Pads{1, 2, 2, 1}));
}

TEST(FoldPad, LeavesAnotherPadValue) {
  Net net;
  const TensorId padded =
      net.g.add_node("pad", Pad{{0, 1, 1, 0}, {0, 1, 1, 0}, 7}, {net.input({1, 6, 6, 2})});
  EXPECT_THAT(
      names(fold_pad(net.output(net.g.add_node("conv", Conv2d{}, {padded, net.ramp({4, 3, 3, 2})})).g)),
      ElementsAre("pad", "conv"));
}

TEST(FuseClamp, NarrowsTheProducer) {
  Net net;
  Requantize relu{5, {{Multiplier{}}, 5, 5, 100}};
  const TensorId pooled =
      net.g.add_node("pool", MaxPool2d{{2, 2}, {2, 2}, {}, -20, 127}, {net.input({1, 4, 4, 2})});
  const Graph g = fuse_clamp(net.output(net.g.add_node("relu", relu, {pooled})).g);
  EXPECT_THAT(names(g), ElementsAre("pool"));
  EXPECT_EQ(std::get<MaxPool2d>(g.nodes[0].op).min, 5);
  EXPECT_EQ(std::get<MaxPool2d>(g.nodes[0].op).max, 100);
}

TEST(FuseClamp, LeavesAChangeOfScaleAndASecondReader) {
  Net net;
  Requantize scale{5, {{Multiplier{1 << 30, 0}}, 5, 5, 100}}, clamp{5, {{Multiplier{}}, 5, 5, 100}};
  const TensorId pooled = net.g.add_node("pool", MaxPool2d{{2, 2}, {2, 2}, {}}, {net.input({1, 4, 4, 2})});
  net.output(net.g.add_node("scale", scale, {pooled}));
  EXPECT_THAT(names(fuse_clamp(net.output(net.g.add_node("clamp", clamp, {pooled})).g)),
              ElementsAre("pool", "scale", "clamp"));
}

TEST(SimplifyReshape, JoinsChainsAndDropsIdentities) {
  Net net;
  const TensorId x = net.input({2, 6});
  const TensorId pooled = net.g.add_node("max", Maximum{}, {x, x});
  const TensorId a = net.g.add_node("a", Reshape{{3, 4}}, {pooled});
  const TensorId b = net.g.add_node("b", Reshape{{2, 6}}, {a});
  const TensorId c = net.g.add_node("c", Reshape{{12}}, {b});
  const Graph g = simplify_reshape(net.output(net.g.add_node("min", Minimum{}, {c, c})).g);
  EXPECT_THAT(names(g), ElementsAre("max", "c", "min"));
  EXPECT_EQ(g.nodes[1].inputs[0], g.nodes[0].output);
}

TEST(FoldBoundary, MovesConversionsIntoPorts) {
  Net net;
  const TensorId image = net.g.add_node("flatten", Reshape{{12}}, {net.input({3, 4}, DataType::Float32)});
  const TensorId q = net.g.add_node("q", Quantize{0.5f, 3}, {image});
  const TensorId m = net.g.add_node("max", Maximum{}, {q, q});
  const TensorId r = net.g.add_node("r", Reshape{{4, 3}}, {m});
  const Graph g = fold_boundary(net.output(net.g.add_node("dq", Dequantize{0.25f, -1}, {r})).g);
  EXPECT_THAT(names(g), ElementsAre("max"));
  EXPECT_EQ(g.inputs[0].model_type, DataType::Float32);
  EXPECT_EQ(g.inputs[0].model_shape, (Shape{3, 4}));
  EXPECT_EQ(g.inputs[0].rounding, Rounding::HalfAwayFromZero);
  EXPECT_EQ(g.tensor(g.inputs[0].tensor).quantization.scale, std::vector<double>{0.5});
  EXPECT_EQ(g.outputs[0].model_type, DataType::Float32);
  EXPECT_EQ(g.outputs[0].model_shape, (Shape{4, 3}));
  EXPECT_EQ(g.tensor(g.outputs[0].tensor).quantization.zero_point, std::vector<std::int32_t>{-1});
}

TEST(FoldTranspose, ReordersDenseWeights) {
  Net net;
  const TensorId moved = net.g.add_node("nchw", Transpose{{0, 2, 1}}, {net.input({1, 2, 3})});
  const TensorId flat = net.g.add_node("flat", Reshape{{1, 6}}, {moved});
  const Graph g =
      fold_transpose(net.output(net.g.add_node("fc", FullyConnected{}, {flat, net.ramp({2, 6})})).g);
  EXPECT_THAT(names(g), ElementsAre("fc/rows", "fc"));
  // Column i of the old weights met element (i % 2, i / 2) of the 2x3 input.
  const auto w = g.tensor(g.nodes[1].inputs[1]).values<std::int8_t>();
  EXPECT_THAT(std::vector<int>(w.begin(), w.end()), ElementsAre(0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9, 11));
}

TEST(MemoryPlan, NothingAliveTogetherOverlaps) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<Lifetime> buffers;
    for (std::size_t i = 0; i < 1 + random() % 30; ++i) {
      const int first = static_cast<int>(random() % 20);
      buffers.push_back(
          {static_cast<std::int64_t>(random() % 1000), first, first + static_cast<int>(random() % 6)});
    }
    const MemoryPlan plan = plan_memory(buffers, 64);
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      EXPECT_EQ(plan.offsets[i] % 64, 0);
      EXPECT_LE(plan.offsets[i] + buffers[i].bytes, plan.bytes);
      for (std::size_t j = 0; j < i; ++j) {
        const bool together = buffers[i].first <= buffers[j].last && buffers[j].first <= buffers[i].last;
        const bool apart = plan.offsets[i] + buffers[i].bytes <= plan.offsets[j] ||
                           plan.offsets[j] + buffers[j].bytes <= plan.offsets[i];
        EXPECT_TRUE(!together || apart || buffers[i].bytes == 0 || buffers[j].bytes == 0);
      }
    }
  }
}

/// Buffers that come in any order, some of them taken back, lie as in a plan made at once.
TEST(MemoryPlan, GrowsByOneBufferAsIfMadeAnew) {
  std::mt19937 random(4);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<Lifetime> kept;
    MemoryPlanner planner(8);
    for (int i = 0; i < 30; ++i) {
      const int first = static_cast<int>(random() % 20);
      const Lifetime life{static_cast<std::int64_t>(random() % 20 * 10), first,
                          first + static_cast<int>(random() % 6)};
      const auto moved = planner.add(life, static_cast<std::int64_t>(kept.size()));
      if (random() % 3 == 0) {
        planner.undo(moved);
      } else {
        kept.push_back(life);
      }
      const MemoryPlan plan = plan_memory(kept, 8);
      for (std::size_t k = 0; k < kept.size(); ++k) ASSERT_EQ(planner.offset(k), plan.offsets[k]) << trial;
    }
  }
}

/// 100,000 buffers of a chain took the square of their number.
TEST(MemoryPlan, AChainIsPlannedInTimeThatGrowsWithIt) {
  std::vector<Lifetime> chain;
  for (int i = 0; i < 100'000; ++i) chain.push_back({1 + i % 7, i, i + 1});
  EXPECT_LE(plan_memory(chain, 1).bytes, 14);
}

TEST(MemoryPlan, AChainNeedsTwoBuffers) {
  const MemoryPlan plan = plan_memory({{100, 0, 1}, {100, 1, 2}, {100, 2, 3}, {100, 3, 4}}, 1);
  EXPECT_EQ(plan.bytes, 200);
}

}  // namespace
}  // namespace vdla::graph
