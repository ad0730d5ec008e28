// SPDX-License-Identifier: Apache-2.0
// The other networks: keyword spotting against outputs recorded on a board, and networks without recorded
// outputs, which must give the same bytes on the interpreter, the CPU target and the engines.
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

#include "compiler/import/file.h"
#include "compiler/pipeline/compile.h"
#include "isa/variants/variants.h"
#include "tests/compiler/pipeline/golden.h"
#include "tests/e2e/kit.h"
#include "tools/common/model_input.h"

namespace vdla::e2e {
namespace {

TEST(KeywordSpotting, EqualsTheOutputsRecordedOnABoard) {
  VDLA_NEED_DATA();
  const auto folder = vdla::testing::data_folder() / "mlperf_tiny/kws01_first300";
  const runtime::Module module = compile(import_data("mlperf_tiny/models/kws_ref_model.tflite"));
  const auto golden = vdla::testing::csv_rows(folder / "golden_int8.csv");
  ASSERT_EQ(golden.size(), 300u);
  EngineSession machine(module, "functional");
  std::size_t row = 0;
  for (const auto& file : std::set<std::filesystem::path>(std::filesystem::directory_iterator(folder), {})) {
    if (file.extension() != ".bin") continue;
    const auto input = samples(module, file).at(0);
    EXPECT_EQ(machine.run_model(input.bytes), golden.at(row)) << input.name;
    ++row;
  }
  EXPECT_EQ(row, 300u);
}

struct Net {
  const char* name;
  const char* model;
  const char* inputs;  ///< nullptr: random ones
  std::size_t count;   ///< on the functional engine
  bool real = false;   ///< the inputs are float32
};

void PrintTo(const Net& net, std::ostream* out) { *out << net.name; }

/// The files of a folder that hold an int8 network's input as float32.
std::vector<tools::Sample> quantised_samples(const runtime::Module& module,
                                             const std::filesystem::path& folder, std::size_t count) {
  const tools::InputSpec spec = tools::input_spec(module);
  std::vector<tools::Sample> result;
  for (const auto& file : std::set<std::filesystem::path>(std::filesystem::directory_iterator(folder), {})) {
    if (result.size() == count) break;
    const Bytes bytes = import::read_file(file);
    std::vector<float> real(bytes.size() / sizeof(float));
    std::memcpy(real.data(), bytes.data(), bytes.size());
    tools::Sample sample{file.stem().string(), {}, {}};
    for (const float value : real) {
      const double step = std::clamp(std::round(value / spec.scale) + spec.zero, -128.0, 127.0);
      sample.bytes.push_back(static_cast<std::byte>(static_cast<std::int8_t>(step)));
    }
    result.push_back(std::move(sample));
  }
  return result;
}

std::vector<tools::Sample> inputs_of(const Net& net, const runtime::Module& module, std::size_t count) {
  if (net.inputs == nullptr) return random_samples(module, count);
  const auto path = vdla::testing::data_folder() / net.inputs;
  if (net.real) return quantised_samples(module, path, count);
  return samples(module, path, count);
}

class Networks : public ::testing::TestWithParam<Net> {};

TEST_P(Networks, GiveTheSameBytesOnInterpreterCpuAndDevice) {
  VDLA_NEED_DATA();
  const graph::Graph graph = import_data(GetParam().model);
  const auto some = inputs_of(GetParam(), compile(graph, "cpu"), GetParam().count);
  EXPECT_GT(expect_same_everywhere(graph, some, {"functional"}, "paper"), 0u);
  EXPECT_GT(expect_same_everywhere(graph, {some[0]}, {"functional"}, "tiny"), 0u);
}

// What goes to the CPU is a requantisation alone behind a softmax.
TEST_P(Networks, KeepTheirLayersOnTheDeviceByCost) {
  VDLA_NEED_DATA();
  const graph::Graph graph = import_data(GetParam().model);
  for (const char* variant : {"paper", "tiny"}) {
    pipeline::CompileOptions options;
    options.variant = isa::load_variant(variant);
    options.machine_code = false;
    const auto capable = pipeline::compile(graph, options).nodes;
    options.partition = pipeline::Partition::Cost;
    const auto by_cost = pipeline::compile(graph, options).nodes;
    ASSERT_EQ(by_cost.size(), capable.size()) << variant;
    for (std::size_t i = 0; i < capable.size(); ++i) {
      EXPECT_EQ(by_cost[i].name, capable[i].name);
      if (by_cost[i].place == capable[i].place) continue;
      EXPECT_EQ(by_cost[i].op, "requantize") << by_cost[i].name;
      EXPECT_THAT(by_cost[i].reason, ::testing::StartsWith("costs less on the CPU: 1 node together"))
          << variant;
    }
  }
}

using NetAndEngine = std::tuple<Net, std::string>;
class NetworksOnEngines : public ::testing::TestWithParam<NetAndEngine> {};

TEST_P(NetworksOnEngines, GiveTheSameBytesAsOnTheCpu) {
  VDLA_NEED_DATA();
  const auto& [net, engine] = GetParam();
  VDLA_NEED_ENGINE(engine);
  const graph::Graph graph = import_data(net.model);
  const runtime::Module for_cpu = compile(graph, "cpu");
  EngineSession cpu(for_cpu, ""), machine(compile(graph), engine);
  for (const auto& input : inputs_of(net, for_cpu, 1))
    EXPECT_EQ(machine.run_model(input.bytes), cpu.run_model(input.bytes)) << input.name;
}

const Net kNets[] = {
    {"resnet8_onnx", "mlperf_tiny/models_onnx/resnet.onnx", "cifar10/cifar10_test_dev1000.bin", 5},
    {"visual_wake_words", "mlperf_tiny/models/vww_96_int8.tflite", "mlperf_tiny/samples_tum/vww/input", 10,
     true},
    {"visual_wake_words_onnx", "mlperf_tiny/models_onnx/mobilenet_v1.onnx", nullptr, 2},
    {"micro_kws", "small_models/micro_kws_m/micro_kws_m_quantized.tflite", nullptr, 2},
    {"micro_kws_onnx", "small_models/micro_kws_m/micro_kws_m_static_qdq.onnx", nullptr, 2},
    {"person_detect", "small_models/person_detect/person_detect.tflite", nullptr, 2},
    {"keyword_spotting_onnx", "mlperf_tiny/models_onnx/kws_ref_model.onnx", nullptr, 3},
    {"streaming_wake_word", "mlperf_tiny/models/str_ww_ref_model.tflite", nullptr, 3},
    {"anomaly_detection", "mlperf_tiny/models/ad01_int8.tflite", "mlperf_tiny/samples_tum/toycar/input", 10,
     true},
    {"anomaly_detection_onnx", "mlperf_tiny/models_onnx/deep_autoencoder.onnx", nullptr, 5},
};

INSTANTIATE_TEST_SUITE_P(Quantised, Networks, ::testing::ValuesIn(kNets),
                         [](const auto& info) { return info.param.name; });
INSTANTIATE_TEST_SUITE_P(Quantised, NetworksOnEngines,
                         ::testing::Combine(::testing::ValuesIn(kNets), ::testing::Values("systemc", "rtl")),
                         [](const auto& info) {
                           return std::get<0>(info.param).name + ("_" + std::get<1>(info.param));
                         });

/// uint8 networks, and the column of tests/e2e/imagenet_classes.csv that has their classes.
struct Classifier {
  const char* name;
  const char* model;
  std::size_t column;
};

void PrintTo(const Classifier& net, std::ostream* out) { *out << net.name; }

class Classifiers : public ::testing::TestWithParam<Classifier> {};

/// Image and class of each row.
std::vector<std::pair<std::string, std::size_t>> recorded_classes(std::size_t column) {
  std::ifstream file(VDLA_SOURCE_DIR "/tests/e2e/imagenet_classes.csv");
  std::vector<std::pair<std::string, std::size_t>> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#") || line.starts_with("image,")) continue;
    std::istringstream cells(line);
    std::string image, cell;
    std::getline(cells, image, ',');
    for (std::size_t i = 0; i < column; ++i) std::getline(cells, cell, ',');
    rows.emplace_back(image, std::stoul(cell));
  }
  return rows;
}

TEST_P(Classifiers, GiveTheRecordedClassesAndTheBytesOfTheCpu) {
  VDLA_NEED_DATA();
  const auto folder = vdla::testing::data_folder() / "imagenet";
  const graph::Graph graph = import_data(std::string("imagenet/models/") + GetParam().model);
  const runtime::Module for_cpu = compile(graph, "cpu"), for_device = compile(graph);
  EngineSession cpu(for_cpu, ""), device(for_device, "functional");
  Preprocessing pixels;  // what the model's file says, and what README's command does
  pixels.normalise = Normalisation{1, {127.5}, {127.5}};
  pixels.resize = ImageSize{256, 0};
  pixels.crop = ImageSize{224, 224};
  const auto images =
      tools::load_samples((folder / "images").string(), tools::input_spec(for_device), pixels);
  const auto recorded = recorded_classes(GetParam().column);
  ASSERT_EQ(images.size(), recorded.size());
  for (std::size_t i = 0; i < images.size(); ++i) {
    const Bytes output = device.run_model(images[i].bytes);
    EXPECT_EQ(output, cpu.run_model(images[i].bytes)) << images[i].name;
    EXPECT_EQ(images[i].name, recorded[i].first);
    EXPECT_EQ(tools::argmax(tools::output_values(for_device.outputs[0], output)), recorded[i].second)
        << images[i].name;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Uint8, Classifiers,
    ::testing::Values(Classifier{"mobilenet_v1", "mobilenet_v1_0.25_224_quant.tflite", 1},
                      Classifier{"mobilenet_v2", "mobilenet_v2_1.0_224_quant.tflite", 2}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace vdla::e2e
