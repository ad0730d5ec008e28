// SPDX-License-Identifier: Apache-2.0
// Networks that run partly on the CPU: the same bytes wherever the border lies, and a report of what crosses
// it.
#include <algorithm>
#include <cmath>

#include "compiler/pipeline/reference.h"
#include "tests/e2e/kit.h"
#include "tests/e2e/random_layers.h"

namespace vdla::e2e {
namespace {

using ::testing::HasSubstr;

std::vector<const runtime::NodeInfo*> nodes_at(const runtime::Module& module, const std::string& place) {
  std::vector<const runtime::NodeInfo*> result;
  for (const runtime::NodeInfo& n : module.nodes)
    if (n.place == place) result.push_back(&n);
  return result;
}

TEST(Fallback, AnyConvolutionOfResnet8OnTheCpuGivesTheSameBytes) {
  VDLA_NEED_DATA();
  const graph::Graph graph = import_data("mlperf_tiny/models/pretrainedResnet_quant.tflite");
  const runtime::Module whole = compile(graph);
  const auto images = samples(whole, vdla::testing::data_folder() / "cifar10/cifar10_test_dev1000.bin", 2);
  std::vector<Bytes> expected;
  EngineSession machine(whole, "functional");
  for (const auto& image : images) expected.push_back(machine.run_model(image.bytes));
  int forced = 0;
  for (const graph::Node& node : graph.nodes) {
    if (!std::holds_alternative<graph::Conv2d>(node.op)) continue;
    SCOPED_TRACE(node.name);
    const runtime::Module module = compile(graph, "paper", {node.name});
    const auto moved = std::find_if(module.nodes.begin(), module.nodes.end(),
                                    [&](const auto& n) { return n.name == node.name; });
    ASSERT_NE(moved, module.nodes.end());
    EXPECT_EQ(moved->place, "cpu");
    EXPECT_EQ(moved->reason, "placed there on request");
    std::uint64_t to_device = 0;
    for (const auto* n : nodes_at(module, "vdla")) to_device += n->bytes_to_device;
    EXPECT_GE(to_device, graph.tensor(node.output).bytes()) << "its result is copied to the device";
    EngineSession mixed(module, "functional");
    for (std::size_t i = 0; i < images.size(); ++i)
      EXPECT_EQ(mixed.run_model(images[i].bytes), expected[i]) << images[i].name;
    ++forced;
  }
  EXPECT_EQ(forced, 9);
}

/// conv -> function -> conv -> softmax over channels -> conv, a residual around the function.
graph::Graph network_with_foreign_operators() {
  std::mt19937 random(11);
  graph::Graph g;
  g.name = "foreign";
  const auto x = g.add_tensor({"x", graph::DataType::Int8, {1, 9, 7, 5}, {{0.1}, {3}, -1}, nullptr});
  g.add_input(x);
  const auto a = add_convolution(g, "first", x, 12, 3, random);
  graph::Lut sigmoid{"sigmoid", {}};
  for (int i = 0; i < 256; ++i)
    sigmoid.table[static_cast<std::size_t>(i)] =
        static_cast<std::int8_t>(std::lround(255 / (1 + std::exp(-(i - 128) * 0.05))) - 128);
  const auto b = g.add_node("sigmoid", sigmoid, {a});
  const auto c = add_convolution(g, "second", b, 12, 1, random);
  const auto d = g.add_node("residual", random_add(random), {c, a});
  const auto e = g.add_node("softmax", graph::Softmax{{1 << 30, 24}, -248}, {d});
  g.add_output(add_convolution(g, "third", e, 6, 3, random));
  return g;
}

class ForeignOperators : public ::testing::TestWithParam<std::string> {};

TEST_P(ForeignOperators, InTheMiddleGiveTheSameBytesAsOnTheCpu) {
  VDLA_NEED_ENGINE(GetParam());
  const graph::Graph graph = network_with_foreign_operators();
  const runtime::Module for_cpu = compile(graph, "cpu");
  pipeline::Reference interpreter(graph);
  for (const char* variant : {"paper", "tiny"}) {
    EngineSession cpu(for_cpu, ""), mixed(compile(graph, variant), GetParam());
    for (const auto& input : random_samples(for_cpu, 3)) {
      const Bytes expected = interpreter.run({input.bytes}).at(0);
      EXPECT_EQ(cpu.run_model(input.bytes), expected) << input.name;
      EXPECT_EQ(mixed.run_model(input.bytes), expected) << input.name << " for " << variant;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(On, ForeignOperators, ::testing::ValuesIn(engines()), case_name);

TEST(Fallback, TheReportNamesForeignOperatorsAndTheirTransfers) {
  const runtime::Module module = compile(network_with_foreign_operators());
  const auto off = nodes_at(module, "cpu");
  ASSERT_EQ(off.size(), 4u);
  EXPECT_THAT(off[0]->reason, HasSubstr("layout conversion: 1x3 taps into the lanes, 315 bytes to 945"));
  EXPECT_THAT(off[1]->reason, HasSubstr("the device has no tables"));
  EXPECT_THAT(off[2]->reason, HasSubstr("the device has no instruction for softmax"));
  EXPECT_THAT(off[3]->reason, HasSubstr("layout conversion: 1x3 taps into the lanes, 756 bytes to 2268"));
  for (const auto* n : nodes_at(module, "vdla")) {
    const std::uint64_t in = n->bytes_to_device, out = n->bytes_from_device;
    if (n->name == "first") EXPECT_EQ(in, 9u * 7 * 15) << "its taps";
    if (n->name == "first") EXPECT_EQ(out, 9u * 7 * 12) << "the function reads it on the CPU";
    if (n->name == "second") EXPECT_EQ(in, 9u * 7 * 12);
    if (n->name == "residual") EXPECT_EQ(out, 9u * 7 * 12);
    if (n->name == "third") EXPECT_EQ(out, 9u * 7 * 6);
  }
}

}  // namespace
}  // namespace vdla::e2e
