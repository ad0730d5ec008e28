// SPDX-License-Identifier: Apache-2.0
// Partition by cost: islands of the device that cost more there than on the CPU, their borders included.
#include <gmock/gmock.h>

#include "compiler/knobs/choice.h"
#include "compiler/observe/pass_list.h"
#include "compiler/pipeline/compile.h"
#include "compiler/pipeline/place/partition.h"
#include "isa/variants/variants.h"
#include "support/element_with.h"

namespace vdla::pipeline {
namespace {

using graph::DataType;
using graph::TensorId;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

CompileOptions by_cost() {
  CompileOptions options;
  options.variant = isa::load_variant("paper");
  options.machine_code = false;
  options.partition = Partition::Cost;
  return options;
}

TensorId input(graph::Graph& g, const graph::Shape& shape) {
  const TensorId x = g.add_tensor({"x", DataType::Int8, shape, {}, nullptr});
  g.add_input(x);
  return x;
}

TensorId conv(graph::Graph& g, const std::string& name, TensorId x, std::int64_t channels,
              std::int64_t kernel) {
  const graph::Shape shape = {channels, kernel, kernel, g.tensor(x).shape[3]};
  const auto count = static_cast<std::size_t>(graph::element_count(shape));
  graph::Conv2d op;
  op.pads = {kernel / 2, kernel / 2, kernel / 2, kernel / 2};
  return g.add_node(name, op,
                    {x, g.add_constant(name + "/w", DataType::Int8, shape,
                                       std::make_shared<graph::Bytes>(count, std::byte{1}))});
}

TensorId clamp(graph::Graph& g, const std::string& name, TensorId x) {
  return g.add_node(name, graph::Requantize{0, {{{}}, 0, 0, 100}}, {x});
}

/// No instruction of the device.
TensorId softmax(graph::Graph& g, const std::string& name, TensorId x) {
  return g.add_node(name, graph::Softmax{{1 << 30, 20}, -200}, {x});
}

const NodeReport& report_of(const CompiledModel& model, const std::string& name) {
  return element_with(model.nodes, name, &NodeReport::name);
}

/// A convolution, then a clamp alone between two layers of the CPU.
graph::Graph two_islands() {
  graph::Graph g;
  g.name = "islands";
  const TensorId x = conv(g, "conv", input(g, {1, 16, 16, 32}), 32, 3);
  g.add_output(softmax(g, "last", clamp(g, "alone", softmax(g, "first", x))));
  return g;
}

TEST(PartitionCost, AnIslandWhoseBordersCostMoreThanItSavesStaysOnTheCpu) {
  const CompiledModel model = compile(two_islands(), by_cost());
  EXPECT_EQ(report_of(model, "conv").place, Place::Device);
  EXPECT_THAT(report_of(model, "conv").reason, HasSubstr("; 1 node together: on the device "));
  EXPECT_EQ(report_of(model, "alone").place, Place::Cpu);
  EXPECT_THAT(report_of(model, "alone").reason,
              StartsWith("costs less on the CPU: 1 node together: on the device "));
  EXPECT_EQ(report_of(model, "first").reason, "the device has no instruction for softmax");
}

TEST(PartitionCost, CapableTakesAllThatTheDeviceCan) {
  CompileOptions options = by_cost();
  options.partition = Partition::Capable;
  const CompiledModel model = compile(two_islands(), options);
  EXPECT_EQ(report_of(model, "alone").place, Place::Device);
  EXPECT_THAT(report_of(model, "alone").reason, Not(HasSubstr("together")));
}

TEST(PartitionCost, ABookPlacesIslandsOtherwise) {
  CompileOptions options = by_cost();
  options.book = KnobBook{target_of(options.variant), {}, {}};
  const auto tasks = [&] {
    std::vector<std::string> names;
    for (const KnobTask& task : knob_tasks(compile(two_islands(), options)))
      if (task.plan && task.space.knobs()[0].name == "run_on") names.push_back(task.task);
    return names;
  };
  // The convolution takes a hundred times as long on the CPU.
  EXPECT_THAT(tasks(), ElementsAre("nodes from 'alone' on"));
  EXPECT_EQ(compile(two_islands(), options).moved_seconds, 0);
  options.book->records.push_back({"nodes from 'alone' on", kPlanContext, "run_on=vdla", 3});
  EXPECT_THAT(tasks(), ElementsAre("nodes from 'alone' on"));
  const CompiledModel there = compile(two_islands(), options);
  EXPECT_EQ(report_of(there, "alone").place, Place::Device);
  EXPECT_THAT(report_of(there, "alone").reason, HasSubstr(", as record 3 of the knob book wants it"));
  const double border = 10e-6 + 2 * 8192 / 0.25e9, cpu = 8192 / 0.25e9 + 2 * 8192 / 0.25e9;
  EXPECT_NEAR(there.moved_seconds, border - cpu, 1e-9);
  options.book->records = {{"nodes from 'conv' on", kPlanContext, "run_on=cpu", 4}};
  const CompiledModel here = compile(two_islands(), options);
  EXPECT_EQ(report_of(here, "conv").place, Place::Cpu);
  EXPECT_THAT(report_of(here, "conv").reason, EndsWith("us, as record 4 of the knob book wants it"));
  EXPECT_GT(here.moved_seconds, 9e-3);
  EXPECT_THAT(tasks(), UnorderedElementsAre("nodes from 'conv' on", "nodes from 'alone' on"));
}

TEST(PartitionCost, FollowsTheSpeedsThatItIsTold) {
  CompileOptions slow = by_cost(), fast = by_cost(), far = by_cost();
  slow.host.operations_per_second = 1e6;
  EXPECT_EQ(report_of(compile(two_islands(), slow), "alone").place, Place::Device);
  fast.host.operations_per_second = 1e13;
  fast.host.bytes_per_second = 1e12;
  EXPECT_EQ(report_of(compile(two_islands(), fast), "conv").place, Place::Cpu);
  far.host.device_start_seconds = 1;
  EXPECT_EQ(report_of(compile(two_islands(), far), "conv").place, Place::Cpu);
}

TEST(PartitionCost, WhatStaysOnTheCpuIsNotPackedForTheDevice) {
  graph::Graph g;
  g.name = "first";
  g.add_output(conv(g, "conv", input(g, {1, 8, 8, 3}), 8, 3));
  CompileOptions options = by_cost();
  options.host.device_start_seconds = 1;
  const CompiledModel cpu = compile(g, options);
  ASSERT_EQ(cpu.nodes.size(), 1u);
  EXPECT_EQ(cpu.nodes[0].place, Place::Cpu);
  options.host = {1e6, 1e9, 0};
  EXPECT_EQ(compile(g, options).nodes.size(), 2u);
}

TEST(PartitionCost, LayersThatDependOnEachOtherGoTogether) {
  graph::Graph g;
  g.name = "chain";
  const TensorId x = conv(g, "conv", input(g, {1, 16, 16, 32}), 32, 3);
  g.add_output(clamp(g, "behind", softmax(g, "middle", x)));
  g.add_output(conv(g, "next", clamp(g, "before", x), 32, 3));
  const CompiledModel model = compile(g, by_cost());
  for (const char* name : {"conv", "next"}) {
    EXPECT_EQ(report_of(model, name).place, Place::Device) << name;
    EXPECT_THAT(report_of(model, name).reason, HasSubstr("nodes together"));
  }
  EXPECT_EQ(report_of(model, "behind").place, Place::Cpu);
}

/// Partitions of a compile with these options.
int partitions(const graph::Graph& g, CompileOptions options) {
  int count = 0;
  options.observer = [&](const PassResult& r) { count += r.pass == Pass::Partition; };
  compile(g, options);
  return count;
}

TEST(PartitionCost, PartitionsOnceAndAgainWhereCostsMoveNodes) {
  CompileOptions options = by_cost();
  EXPECT_EQ(partitions(two_islands(), options), 2) << "'alone' moves";
  options.on_cpu = {"alone"};
  EXPECT_EQ(partitions(two_islands(), options), 1) << "nothing is left to move";
  options.partition = Partition::Capable;
  EXPECT_EQ(partitions(two_islands(), options), 1);
}

TEST(PartitionCost, NodesStayWhereAnEarlierCompileHadThem) {
  CompileOptions options = by_cost();
  options.partition = Partition::Capable;
  options.as_before = {{"alone", "as in the record"}, {"no such node", "as in the record"}};
  const CompiledModel model = compile(two_islands(), options);
  EXPECT_EQ(report_of(model, "alone").place, Place::Cpu);
  EXPECT_EQ(report_of(model, "alone").reason, "as in the record");
  EXPECT_EQ(report_of(model, "conv").place, Place::Device);
}

TEST(Placement, LayersShareTheirWeightsWithTheGraph) {
  const graph::Graph g = two_islands();
  const Placement nodes = place_nodes(g, by_cost(), {});
  const auto& conv = std::get<device::Conv2d>(nodes.at(0).op.value());
  const graph::Tensor& weights = g.tensor(g.nodes[0].inputs[1]);
  EXPECT_EQ(conv.weights.begin(), weights.values<std::int8_t>().begin());
}

}  // namespace
}  // namespace vdla::pipeline
