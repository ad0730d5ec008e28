// SPDX-License-Identifier: Apache-2.0
// Networks from model file to functional engine: equal to recorded outputs and to the interpreter, wherever
// nodes run.
#include <gmock/gmock.h>

#include <cmath>

#include "compiler/import/file.h"
#include "compiler/import/import.h"
#include "compiler/pipeline/reference.h"
#include "tests/compiler/import/data.h"
#include "tests/compiler/pipeline/golden.h"
#include "tests/e2e/machine.h"

namespace vdla::testing {
namespace {

using pipeline::Place;

graph::Graph resnet8() {
  return import::import_model(data_folder() / "mlperf_tiny/models/pretrainedResnet_quant.tflite");
}

/// The network's outputs on the device equal the interpreter's on random inputs.
void expect_equal(const graph::Graph& g, const std::string& variant, std::set<std::string> on_cpu = {},
                  int inputs = 1) {
  Machine machine(g, variant, std::move(on_cpu));
  pipeline::Reference reference(g);
  for (int i = 0; i < inputs; ++i) {
    const auto x = random_inputs(g, static_cast<unsigned>(i));
    EXPECT_EQ(machine.run(x), reference.run(x)) << g.name << " for " << variant;
  }
}

class Variants : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, Variants, ::testing::Values("tiny", "paper"),
                         [](const auto& i) { return i.param; });

TEST_P(Variants, Resnet8EqualsTheRecordedOutputs) {
  VDLA_NEED_DATA();
  Machine machine(resnet8(), GetParam());
  const auto golden = csv_rows(data_folder() / "cifar10/resnet8_int8_golden_dev1000.csv");
  for (int i = 0; i < 30; ++i)
    EXPECT_EQ(machine.run({cifar_image(data_folder() / "cifar10/cifar10_test_dev1000.bin", i)}).at(0),
              golden.at(static_cast<std::size_t>(i)))
        << "image " << i;
}

TEST_P(Variants, KeywordSpotterEqualsTheRecordedOutputs) {
  VDLA_NEED_DATA();
  const auto folder = data_folder() / "mlperf_tiny/kws01_first300";
  Machine machine(import::import_model(data_folder() / "mlperf_tiny/models/kws_ref_model.tflite"),
                  GetParam());
  const auto golden = csv_rows(folder / "golden_int8.csv");
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".bin") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  ASSERT_GE(golden.size(), files.size());
  for (std::size_t i = 0; i < 30; ++i)
    EXPECT_EQ(machine.run({import::read_file(files[i])}).at(0), golden[golden.size() - files.size() + i])
        << files[i];
}

TEST_P(Variants, EveryInt8NetworkEqualsTheInterpreter) {
  VDLA_NEED_DATA();
  for (const char* file :
       {"mlperf_tiny/models/vww_96_int8.tflite", "mlperf_tiny/models/ad01_int8.tflite",
        "small_models/micro_kws_m/micro_kws_m_quantized.tflite", "mlperf_tiny/models_onnx/resnet.onnx",
        "mlperf_tiny/models_onnx/mobilenet_v1.onnx", "mlperf_tiny/models_onnx/kws_ref_model.onnx",
        "mlperf_tiny/models_onnx/deep_autoencoder.onnx",
        "small_models/micro_kws_m/micro_kws_m_static_qdq.onnx"}) {
    SCOPED_TRACE(file);
    expect_equal(import::import_model(data_folder() / file), GetParam());
  }
}

TEST_P(Variants, DigitNetworkEqualsTheInterpreter) {
  expect_equal(import::import_model(std::filesystem::path(VDLA_SOURCE_DIR) / "examples/digits/digits.onnx"),
               GetParam(), {}, 5);
}

TEST_P(Variants, AnyConvolutionOfResnet8MayRunOnTheCpu) {
  VDLA_NEED_DATA();
  const graph::Graph g = resnet8();
  const auto x = random_inputs(g, 3);
  const auto expected = Machine(g, GetParam()).run(x);
  for (const graph::Node& node : g.nodes) {
    if (!std::holds_alternative<graph::Conv2d>(node.op)) continue;
    Machine machine(g, GetParam(), {node.name});
    EXPECT_EQ(machine.run(x), expected) << node.name;
  }
}

/// conv -> operator that the device lacks -> conv.
graph::Graph with_table_in_the_middle() {
  graph::Graph g;
  g.name = "middle";
  const auto x = g.add_tensor({"x", graph::DataType::Int8, {1, 6, 6, 8}, {}, nullptr});
  g.add_input(x);
  std::vector<std::int8_t> values(8 * 3 * 3 * 8);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int8_t>(i * 37 % 255);
  const auto w = g.add_constant("w", graph::DataType::Int8, {8, 3, 3, 8}, graph::to_bytes(values));
  graph::Conv2d conv;
  conv.pads = {1, 1, 1, 1};
  conv.out.multiplier = {{1518500250, -9}};
  graph::Lut tanh{"tanh", {}};
  for (int q = -128; q < 128; ++q)
    tanh.table[static_cast<std::size_t>(q + 128)] =
        static_cast<std::int8_t>(std::lround(127 * std::tanh(q / 40.0)));
  const auto a = g.add_node("first", conv, {x, w});
  const auto b = g.add_node("table", tanh, {a});
  g.add_output(g.add_node("second", conv, {b, w}));
  return g;
}

TEST_P(Variants, AnOperatorThatTheDeviceLacksRunsOnTheCpu) {
  const graph::Graph g = with_table_in_the_middle();
  expect_equal(g, GetParam(), {}, 3);
  const pipeline::CompiledModel model = Machine(g, GetParam()).model();
  EXPECT_EQ(model.nodes.at(0).place, Place::Device);
  EXPECT_EQ(model.nodes.at(1).place, Place::Cpu);
  EXPECT_EQ(model.nodes.at(1).reason, "the device has no instruction for lut");
  EXPECT_EQ(model.nodes.at(2).place, Place::Device);
  EXPECT_EQ(model.nodes.at(0).bytes_from_device, 6 * 6 * 8);
  EXPECT_EQ(model.nodes.at(2).bytes_to_device, 6 * 6 * 8);
}

TEST(CpuTarget, RunsWholeNetworks) {
  VDLA_NEED_DATA();
  const graph::Graph g = resnet8();
  Machine machine(g, "paper", {}, false);
  const auto golden = csv_rows(data_folder() / "cifar10/resnet8_int8_golden_dev1000.csv");
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(machine.run({cifar_image(data_folder() / "cifar10/cifar10_test_dev1000.bin", i)}).at(0),
              golden.at(static_cast<std::size_t>(i)));
}

}  // namespace
}  // namespace vdla::testing
