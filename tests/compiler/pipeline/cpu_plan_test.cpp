// SPDX-License-Identifier: Apache-2.0
// Choices of the plan on the CPU: blocks of float channels, and which nodes are one function. What a book
// can say of them, what compile() makes of it and says of it, and books that are refused.
#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "compiler/graph/block_layouts.h"
#include "compiler/knobs/choice.h"
#include "compiler/loop/print.h"
#include "compiler/pipeline/compile.h"
#include "isa/variants/variants.h"
#include "support/error.h"
#include "tests/compiler/pipeline/float_net.h"
#include "tests/compiler/pipeline/host_functions.h"

namespace vdla::pipeline {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

constexpr const char* kChannels = "channels of float layers";

/// A pointwise layer, a depthwise one with a sum beside it, and a pointwise one.
Net separable(std::int64_t channels) {
  Net net(1);
  const graph::TensorId point = net.channel_map(net.conv(net.input({1, 3, 4, 4}), channels, 1, 1));
  const graph::TensorId depth = net.channel_map(net.conv(point, channels, 3, 1, channels));
  net.graph.add_output(net.conv(net.sum(depth, point), 5, 1, 1));
  return net;
}

/// A result may have a block more than its channels fill: a depthwise layer reads those that it has weights
/// for.
TEST(BlockLayouts, OfEveryNumberOfChannelsFitADepthwiseLayer) {
  for (std::int64_t channels = 1; channels <= 256; ++channels) {
    const Net net = separable(channels);
    for (const std::int64_t block : {4, 8, 16, 32})  // of the levels' vectors, their halves and doubles
      EXPECT_NO_THROW(verify(graph::block_layouts(net.graph, block, block)))
          << channels << " channels in blocks of " << block;
  }
}

TEST(BlockLayouts, OfOddNumbersOfBlocksCompileForEveryVector) {
  CompileOptions options;
  options.variant = isa::load_variant("paper");
  options.use_device = false;
  options.machine_code = false;
  for (const std::int64_t channels : {26, 72, 104, 200})
    for (const std::int64_t bytes : {16, 32, 64}) {
      options.cpu.vector_bytes = bytes;
      EXPECT_NO_THROW(compile(separable(channels).graph, options))
          << channels << " channels, vectors of " << bytes;
    }
}

class CpuPlan : public ::testing::Test {
 protected:
  CpuPlan() {
    options_.variant = isa::load_variant("paper");
    options_.use_device = false;
    options_.machine_code = false;
    options_.cpu.vector_bytes = 32;  // eight floats
    options_.book = KnobBook{target_of(options_), {}, {}};
    const auto sums = net_.conv(net_.input({1, 3, 12, 12}), 32, 3, 1);
    const auto biased = net_.channel_map(sums);
    conv_ = maker_of(sums);
    map_ = maker_of(biased);
    const auto depthwise = net_.channel_map(net_.conv(biased, 32, 3, 1, 32));
    net_.graph.add_output(
        net_.add(graph::Fold{expr::Reducer::Sum, {2, 3}, true}, {net_.sum(biased, depthwise)}));
  }

  /// The name of the node that makes a tensor.
  std::string maker_of(graph::TensorId id) const {
    for (const graph::Node& node : net_.graph.nodes)
      if (node.output == id) return node.name;
    return "no such node";
  }
  std::string behind(const std::string& node) const { return "readers of '" + node + "'"; }

  CompiledModel compiled() const { return compile(net_.graph, options_); }
  void choose(const std::string& task, const std::string& knobs, std::int64_t record) {
    options_.book->put({task, kPlanContext, knobs, record});
  }
  std::string reason(const std::string& node) const {
    for (const NodeReport& report : compiled().nodes)
      if (report.name == node) return report.reason;
    return "no such node";
  }
  /// As a search sees it: what could be chosen otherwise.
  std::vector<std::string> others(const std::string& task) const {
    std::vector<std::string> texts;
    for (const KnobTask& t : knob_tasks(compiled())) {
      if (t.task != task) continue;
      EXPECT_TRUE(t.plan);
      for (Point p{1}; p[0] <= t.space.knobs()[0].values; ++p[0])
        if (t.space.legal(p)) texts.push_back(t.space.text(p));
    }
    return texts;
  }
  std::vector<std::string> contexts() const {
    std::vector<std::string> all;
    for (const KnobTask& t : knob_tasks(compiled()))
      if (!t.plan) all.push_back(t.context);
    return all;
  }
  std::string code() const {
    std::string text;
    for (const loop::Func& f : host_functions(compiled())) text += loop::to_string(f);
    return text;
  }

  Net net_{3};
  std::string conv_, map_;
  CompileOptions options_;
};

TEST_F(CpuPlan, ABookWithoutChoicesChangesNothing) {
  const std::string with_book = code();
  EXPECT_THAT(reason(conv_), Not(HasSubstr("block")));
  options_.book.reset();
  EXPECT_EQ(code(), with_book);
  EXPECT_TRUE(knob_tasks(compiled()).empty());
}

TEST_F(CpuPlan, BlocksOfChannelsAreAChoiceOfTheNetwork) {
  EXPECT_THAT(others(kChannels), ElementsAre("block=plain", "block=4", "block=16"));
  EXPECT_EQ(graph::channels_in_block(compiled().graph), 8);
  EXPECT_THAT(contexts(), ElementsAre("with map", "with map, map"));
  for (const int block : {4, 16}) {
    choose(kChannels, "block=" + std::to_string(block), 5);
    EXPECT_EQ(graph::channels_in_block(compiled().graph), block);
    EXPECT_THAT(reason(conv_), HasSubstr("channels of float layers are in blocks of " +
                                         std::to_string(block) + ", as record 5 of the knob book wants it"));
    EXPECT_THAT(contexts(), Contains("in blocks of " + std::to_string(block) + ", with map"))
        << "knobs count blocks, so those of others are not for these";
  }
  EXPECT_THAT(others(kChannels), ElementsAre("block=plain", "block=4", "block=8"));
  choose(kChannels, "block=plain", 6);
  EXPECT_EQ(graph::channels_in_block(compiled().graph), 0);
  EXPECT_THAT(reason(conv_), HasSubstr("channels of float layers are not in blocks, as record 6"));
  choose(kChannels, "block=8", 7);
  EXPECT_THAT(contexts(), ElementsAre("with map", "with map, map")) << "as by default";
}

TEST_F(CpuPlan, VectorsOfOneBlockSizeHaveOthersForWiderMachines) {
  options_.cpu.vector_bytes = 64;
  options_.book->target = target_of(options_);
  EXPECT_THAT(others(kChannels), ElementsAre("block=plain", "block=8", "block=32"));
  options_.cpu.vector_bytes = 16;
  options_.book->target = target_of(options_);
  EXPECT_THAT(others(kChannels), ElementsAre("block=plain", "block=8")) << "half a vector is no vector";
}

TEST_F(CpuPlan, EachPlaceWhereNodesAreFusedIsAChoice) {
  const std::size_t steps = compiled().steps.size();
  EXPECT_THAT(reason(conv_), HasSubstr(", computed with '" + map_ + "'"));
  EXPECT_THAT(others(behind(conv_)), ElementsAre("fused=no"));
  EXPECT_THAT(others(behind(map_)), ElementsAre()) << "two functions read it: nothing is fused there";
  choose(behind(conv_), "fused=no", 4);
  EXPECT_EQ(compiled().steps.size(), steps + 1);
  EXPECT_THAT(
      reason(conv_),
      AllOf(HasSubstr("its result is stored, what reads it stays apart, as record 4 of the knob book"),
            Not(HasSubstr("computed with"))));
  EXPECT_THAT(contexts(), Contains("alone"));
  EXPECT_THAT(others(behind(conv_)), ElementsAre("fused=yes")) << "a search can go back";
  choose(behind(conv_), "fused=yes", 5);
  EXPECT_EQ(compiled().steps.size(), steps);
  EXPECT_THAT(reason(conv_), HasSubstr("computed with what reads it, as record 5"));
}

TEST_F(CpuPlan, AChoiceOfAPlaceThatIsNotThereIsNone) {
  const std::size_t steps = compiled().steps.size();
  choose(behind(map_), "fused=no", 4);
  choose(behind("nowhere"), "fused=no", 5);
  EXPECT_EQ(compiled().steps.size(), steps);
  for (const KnobTask& t : knob_tasks(compiled()))
    EXPECT_TRUE(t.task != behind(map_) && t.task != behind("nowhere")) << "vdla compile names what is missed";
}

TEST_F(CpuPlan, ValuesThatAreNoneAreRefused) {
  const auto refused = [&](const std::string& needed) {
    return ThrowsMessage<UserError>(AllOf(HasSubstr("record 9 of the knob book"), HasSubstr(needed),
                                          HasSubstr("correct the record, or leave it out")));
  };
  choose(kChannels, "block=7", 9);
  EXPECT_THAT([&] { compiled(); }, refused("knob 'block' is \"7\", needs one of plain, 4, 8, 16"));
  choose(kChannels, "block=8", 8);
  choose(behind(conv_), "fused=perhaps", 9);
  EXPECT_THAT([&] { compiled(); }, refused("knob 'fused' is \"perhaps\", needs one of no, yes"));
}

TEST_F(CpuPlan, ABookForTheDeviceHasNoneOfThem) {
  options_.use_device = true;
  options_.book->target = target_of(options_);
  for (const KnobTask& t : knob_tasks(compiled())) {
    EXPECT_NE(t.task, kChannels);
    EXPECT_THAT(t.task, Not(HasSubstr("readers of")));
  }
}

}  // namespace
}  // namespace vdla::pipeline
