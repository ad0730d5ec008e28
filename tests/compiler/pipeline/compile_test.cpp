// SPDX-License-Identifier: Apache-2.0
// compile(): what lands where and why, on real networks and small ones. That the bytes are right is
// tests/e2e's business.
#include "compiler/pipeline/compile.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "compiler/expr/dsl.h"
#include "compiler/import/import.h"
#include "isa/variants/variants.h"
#include "support/element_with.h"
#include "support/error.h"
#include "tests/compiler/import/data.h"
#include "tests/compiler/pipeline/host_functions.h"

namespace vdla::pipeline {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

graph::Graph resnet8() {
  return import::import_model(testing::data_folder() / "mlperf_tiny/models/pretrainedResnet_quant.tflite");
}

CompileOptions for_variant(const std::string& variant) {
  CompileOptions options;
  options.variant = isa::load_variant(variant);
  return options;
}

std::vector<std::string> off_device(const CompiledModel& model) {
  std::vector<std::string> result;
  for (const NodeReport& n : model.nodes)
    if (n.place == Place::Cpu) result.push_back(n.name);
  return result;
}

TEST(Compile, OnlySoftmaxAndAConversionOfResnet8StayOnTheCpu) {
  VDLA_NEED_DATA();
  const CompiledModel model = compile(resnet8(), for_variant("paper"));
  EXPECT_THAT(off_device(model), ::testing::ElementsAre("conv_2d_0/taps", "softmax_15"));
  ASSERT_EQ(model.steps.size(), 3u);
  const auto& device = std::get<DeviceStep>(model.steps[1]);
  ASSERT_EQ(device.inputs.size(), 1u);
  EXPECT_EQ(device.inputs[0].image, (device::Image{32, 32, 9}));
  ASSERT_EQ(device.outputs.size(), 1u);
  for (const NodeReport& n : model.nodes) {
    EXPECT_FALSE(n.reason.empty()) << n.name;
    if (n.macs > 0) EXPECT_GT(n.estimated_cycles, static_cast<double>(n.macs) / 256 * 0.99) << n.name;
  }
}

TEST(Compile, AForcedNodeSplitsTheNetwork) {
  VDLA_NEED_DATA();
  CompileOptions options = for_variant("paper");
  options.on_cpu = {"conv_2d_1"};
  const CompiledModel model = compile(resnet8(), options);
  EXPECT_THAT(off_device(model), ::testing::ElementsAre("conv_2d_0/taps", "conv_2d_1", "softmax_15"));
  EXPECT_EQ(model.steps.size(), 5u);
  EXPECT_EQ(model.nodes[2].reason, "placed there on request");
  EXPECT_GT(model.nodes[1].bytes_from_device, 0);
  EXPECT_EQ(model.nodes[3].reason, "computed with 'add_3'");
  EXPECT_GT(model.nodes[4].bytes_to_device, 0);
}

/// The one with more work, when both operands are convolutions; only where nobody else reads its result.
TEST(Compile, ASumJoinsTheConvolutionInFrontOfIt) {
  VDLA_NEED_DATA();
  const CompiledModel model = compile(resnet8(), for_variant("paper"));
  const auto node = [&](const std::string& name) {
    return element_with(model.nodes, name, &NodeReport::name);
  };
  EXPECT_THAT(node("add_3").reason, StartsWith("added on the way out of conv_2d_2"));
  EXPECT_EQ(node("conv_2d_2").place, Place::Folded);
  EXPECT_EQ(node("conv_2d_2").macs, 0);
  EXPECT_EQ(node("add_3").macs, 32 * 32 * 16 * 16 * 9);
  EXPECT_THAT(node("add_7").reason, StartsWith("added on the way out of conv_2d_5"));
  EXPECT_EQ(node("conv_2d_6").place, Place::Device);
  EXPECT_EQ(node("conv_2d_1").place, Place::Device);  // add_3 is not its reader
}

/// Each layer's report says where its result goes, and why.
TEST(Compile, ActivationsStayOnChipWhereTheyFitAndPay) {
  VDLA_NEED_DATA();
  CompileOptions options = for_variant("paper");
  const CompiledModel model = compile(resnet8(), options);
  const auto reason = [](const CompiledModel& of, const std::string& name) {
    return element_with(of.nodes, name, &NodeReport::name).reason;
  };
  EXPECT_THAT(reason(model, "add_3"), EndsWith("; its result stays on chip"));  // read by two layers
  EXPECT_THAT(reason(model, "conv_2d_4"), EndsWith("; its result stays on chip"));
  EXPECT_THAT(reason(model, "add_11"), EndsWith("; its result stays on chip"));
  EXPECT_THAT(reason(model, "conv_2d_0"), EndsWith("its result goes to DRAM: conv_2d_2: adds it from out"));
  EXPECT_THAT(
      reason(model, "conv_2d_1"),
      EndsWith("1156 entries of inp find no room beside the tiles of conv_2d_2 and what stays there"));
  EXPECT_THAT(reason(model, "fully_connected_14"), EndsWith("its result goes to DRAM: it is read outside"));
  const auto act_bytes = [](const CompiledModel& of) {
    return std::get<DeviceStep>(of.steps[1])
        .program.data_window_sizes[static_cast<std::size_t>(isa::Window::Act)];
  };
  options.on_chip = false;
  const CompiledModel without = compile(resnet8(), options);
  EXPECT_EQ(reason(without, "add_3"), "added on the way out of conv_2d_2");
  EXPECT_EQ(act_bytes(without), 3u * 32 * 32 * 16) << "of the largest activations";
  EXPECT_EQ(act_bytes(model), 2u * 32 * 32 * 16) << "those on chip have no place in DRAM";
}

TEST(Compile, ADepthwiseConvolutionJoinsTheOneInFrontOfIt) {
  VDLA_NEED_DATA();
  CompileOptions options = for_variant("paper");
  const graph::Graph kws =
      import::import_model(testing::data_folder() / "mlperf_tiny/models/kws_ref_model.tflite");
  const auto node = [](const CompiledModel& of, const std::string& name) {
    return element_with(of.nodes, name, &NodeReport::name);
  };
  const CompiledModel model = compile(kws, options);
  EXPECT_THAT(node(model, "depthwise_conv_2d_3").reason,
              StartsWith("computed piece by piece on the way out of conv_2d_2; its result stays on chip"));
  EXPECT_EQ(node(model, "conv_2d_2").place, Place::Folded);
  EXPECT_EQ(node(model, "conv_2d_2").reason, "computed with 'depthwise_conv_2d_3'");
  EXPECT_EQ(node(model, "depthwise_conv_2d_3").macs, 25 * 5 * 64 * (64 + 9));
  EXPECT_EQ(node(model, "conv_2d_8").place, Place::Device) << "no depthwise convolution reads it";
  options.on_chip = false;
  EXPECT_EQ(node(compile(kws, options), "conv_2d_2").place, Place::Device);
}

/// An entry holds several pixels, or inp and out have entries of different sizes.
TEST(Compile, MachinesThatCannotKeepActivationsSayWhy) {
  VDLA_NEED_DATA();
  CompileOptions options = for_variant("tiny");
  options.variant.geometry.batch = options.rows.emplace(2);
  CompiledModel model = compile(resnet8(), options);
  EXPECT_THAT(model.nodes[1].reason,
              EndsWith("its result goes to DRAM: conv_2d_1: its windows take other pixels "
                       "together than the 2 of an entry"));
  options = for_variant("tiny");
  options.variant.geometry.block_in = 8;
  model = compile(resnet8(), options);
  EXPECT_THAT(model.nodes[1].reason,
              EndsWith("its result goes to DRAM: vector writes and reads inp only where "
                       "K equals N (rules 57 and 58 of the manual)"));
}

double estimated(const CompiledModel& model) {
  double cycles = 0;
  for (const NodeReport& node : model.nodes) cycles += node.estimated_cycles;
  return cycles;
}

/// A depthwise network took a fifth more cycles with a batch of 2 than without one.
TEST(Compile, LayersUseOneRowOfTheArrayWhereThatSurelyTakesLess) {
  VDLA_NEED_DATA();
  const graph::Graph vww =
      import::import_model(testing::data_folder() / "mlperf_tiny/models/vww_96_int8.tflite");
  CompileOptions options = for_variant("paper");
  const CompiledModel one_row = compile(vww, options);
  options.variant.geometry.batch = 2;
  const CompiledModel chosen = compile(vww, options);
  const auto note = [](const CompiledModel& model) {
    std::string reasons;
    for (const NodeReport& node : model.nodes) reasons += node.reason + "\n";
    return reasons;
  };
  EXPECT_THAT(note(chosen), HasSubstr("; 1 of the array's 2 rows: "));
  EXPECT_EQ(chosen.variant.geometry.batch, 2u);
  EXPECT_DOUBLE_EQ(estimated(chosen), estimated(one_row));
  const auto program = [](const CompiledModel& of) {
    for (const Step& step : of.steps)
      if (const auto* device = std::get_if<DeviceStep>(&step)) return device->program;
    return isa::Program();
  };
  EXPECT_EQ(program(chosen).geometry, options.variant.geometry);
  options.rows = 2;
  const CompiledModel all = compile(vww, options);
  EXPECT_GT(estimated(all), estimated(chosen));
  EXPECT_THAT(note(all), HasSubstr("; 2 of the array's 2 rows;"));
  options.rows.reset();
  EXPECT_THAT(note(compile(resnet8(), options)), HasSubstr("; 2 of the array's 2 rows: "));
  options.rows = 3;
  EXPECT_THAT([&] { compile(vww, options); },
              ThrowsMessage<UserError>("--rows is 3, needs 1, or the 2 of the variant's batch"));
}

/// The other choice is a trial of a search; a book's is taken.
TEST(Compile, ABookSaysHowManyRowsAreUsed) {
  VDLA_NEED_DATA();
  CompileOptions options = for_variant("paper");
  options.variant.geometry.batch = 2;
  options.book = KnobBook{target_of(options.variant), {}, {}};
  const CompiledModel all = compile(resnet8(), options);
  const std::vector<KnobTask> tasks = knob_tasks(all);
  const auto rows = std::ranges::find(tasks, std::string("rows of the array"), &KnobTask::task);
  ASSERT_NE(rows, tasks.end());
  options.book->records.push_back(
      {.task = rows->task, .context = rows->context, .knobs = "used=one", .record = 7});
  const CompiledModel one = compile(resnet8(), options);
  EXPECT_THAT(one.nodes[1].reason,
              HasSubstr("; 1 of the array's 2 rows, as record 7 of the knob book wants it"));
  for (const KnobTask& task : knob_tasks(one))
    EXPECT_TRUE(task.plan || task.context.starts_with("one row, ")) << task.context;
}

TEST(Compile, AnUnknownNodeIsRefused) {
  VDLA_NEED_DATA();
  CompileOptions options = for_variant("tiny");
  options.on_cpu = {"conv_99"};
  EXPECT_THAT([&] { compile(resnet8(), options); }, ThrowsMessage<UserError>(HasSubstr("no node 'conv_99'")));
}

TEST(Compile, TheCpuTargetHasNoDeviceStep) {
  VDLA_NEED_DATA();
  CompileOptions options = for_variant("paper");
  options.use_device = false;
  const CompiledModel model = compile(resnet8(), options);
  for (const Step& step : model.steps) EXPECT_TRUE(std::holds_alternative<HostStep>(step));
}

/// "a/b" and "a_b" are nodes of their own, and both became a function "k_a_b".
TEST(Compile, NodesOfNearlyTheSameNameHaveFunctionsOfTheirOwn) {
  graph::Graph g;
  g.name = "near";
  const graph::TensorId x = g.add_tensor({"x", graph::DataType::Float32, {2}, {}, nullptr});
  g.add_input(x);
  graph::Map negative{"Neg", {expr::make_var("x0", expr::DType::F32)}, nullptr};
  negative.body = expr::Value(expr::Value(negative.arguments[0]) * -1.0);
  graph::Map twice = negative;
  twice.body = expr::Value(expr::Value(twice.arguments[0]) * 2.0);
  g.add_output(g.add_node("a_b", twice, {g.add_node("a/b", negative, {x})}));
  CompileOptions options = for_variant("paper");
  options.fuse = false;
  const CompiledModel model = compile(g, options);
  ASSERT_EQ(model.steps.size(), 2u);
  EXPECT_NE(std::get<HostStep>(model.steps[0]).kernel.func.name,
            std::get<HostStep>(model.steps[1]).kernel.func.name);
  EXPECT_EQ(model.nodes[0].reason, "it reads float32, the device computes int8");
}

/// As the steps of a recurrent network, or the blocks of a residual one.
TEST(Compile, NodesThatDoTheSameShareAFunction) {
  graph::Graph g;
  g.name = "repeats";
  const auto input = [&](const char* name, std::int64_t size) {
    const graph::TensorId x = g.add_tensor({name, graph::DataType::Float32, {size}, {}, nullptr});
    g.add_input(x);
    return x;
  };
  const graph::TensorId x = input("x", 2), longer = input("longer", 3);
  graph::Map negative{"Neg", {expr::make_var("x0", expr::DType::F32)}, nullptr};
  negative.body = expr::Value(expr::Value(negative.arguments[0]) * -1.0);
  g.add_output(g.add_node("second", negative, {g.add_node("first", negative, {x})}));
  g.add_output(g.add_node("other", negative, {longer}));
  CompileOptions options = for_variant("paper");
  options.fuse = false;
  const CompiledModel model = compile(g, options);
  const auto name = [&](std::size_t i) { return std::get<HostStep>(model.steps.at(i)).kernel.func.name; };
  EXPECT_EQ(name(0), name(1));
  EXPECT_NE(name(0), name(2));
  EXPECT_EQ(host_functions(model).size(), 2u);
}

TEST(Compile, FunctionsOfTheSameParametersAreToldApartByTheirBodies) {
  graph::Graph g;
  g.name = "alike";
  graph::TensorId at = g.add_tensor({"x", graph::DataType::Float32, {2}, {}, nullptr});
  g.add_input(at);
  const double factors[] = {2, 3, 4, 3, 2, 4};
  for (const double factor : factors) {
    graph::Map times{"Times", {expr::make_var("x0", expr::DType::F32)}, nullptr};
    times.body = expr::Value(expr::Value(times.arguments[0]) * factor);
    at = g.add_node("node" + std::to_string(g.nodes.size()), times, {at});
  }
  g.add_output(at);
  CompileOptions options = for_variant("paper");
  options.fuse = false;
  const CompiledModel model = compile(g, options);
  const auto name = [&](std::size_t i) { return std::get<HostStep>(model.steps.at(i)).kernel.func.name; };
  for (std::size_t a = 0; a < std::size(factors); ++a)
    for (std::size_t b = 0; b < a; ++b)
      EXPECT_EQ(name(a) == name(b), factors[a] == factors[b]) << a << " " << b;
  EXPECT_EQ(host_functions(model).size(), 3u);
}

}  // namespace
}  // namespace vdla::pipeline
