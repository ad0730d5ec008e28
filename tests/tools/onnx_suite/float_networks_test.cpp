// SPDX-License-Identifier: Apache-2.0
// Trained networks with ports of floats on machine code against recorded outputs: ONNX Runtime's
// (goldens/onnxruntime_float.csv, see bench/onnxruntime/README.md), those that come with mnist-8, and those
// of ONNX's light networks. The keyword spotter is of integers inside, of the domain com.microsoft; so are
// two of the public models.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

#include "compiler/import/file.h"
#include "tests/compiler/import/data.h"
#include "tests/test_name.h"
#include "tools/onnx_suite/onnx_suite.h"

namespace vdla::tools {
namespace {

/// Row of the golden file: how many outputs there are, and some of them.
struct Recorded {
  std::size_t count = 0;
  std::vector<double> some;
};

Recorded recorded(const std::string& network) {
  std::ifstream file(std::string(VDLA_SOURCE_DIR) + "/tests/tools/goldens/onnxruntime_float.csv");
  for (std::string line; std::getline(file, line);) {
    std::istringstream cells(line);
    std::string cell;
    std::getline(cells, cell, ',');
    if (cell != network.substr(network.rfind('/', network.rfind('/') - 1) + 1)) continue;
    Recorded result;
    std::getline(cells, cell, ',');
    result.count = std::stoul(cell);
    while (std::getline(cells, cell, ',')) result.some.push_back(std::stod(cell));
    return result;
  }
  ADD_FAILURE() << "nothing is recorded for " << network;
  return {};
}

/// Inputs i / n for i = 0 ... n - 1, n the number of elements of each.
std::vector<graph::Bytes> ramp_inputs(const graph::Graph& graph) {
  std::vector<graph::Bytes> inputs;
  for (const graph::Port& port : graph.inputs) {
    EXPECT_EQ(port.model_type, graph::DataType::Float32) << graph.tensor(port.tensor).name;
    std::vector<float> values(static_cast<std::size_t>(graph::element_count(port.model_shape)));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(static_cast<double>(i) / static_cast<double>(values.size()));
    inputs.push_back(*graph::to_bytes(values));
  }
  return inputs;
}

/// Extents and constants that a network leaves to its user.
import::ImportOptions options_of(const std::filesystem::path& model) {
  import::ImportOptions options;
  if (model.filename() == "silero_vad_v5.onnx") {
    options.shapes = {{"input", {1, 512}}, {"state", {2, 1, 128}}};
    options.bound["sr"] = {graph::DataType::Int64, {}, graph::to_bytes(std::vector<std::int64_t>{16000})};
  }
  return options;
}

std::vector<std::vector<float>> run_on_ramp(const std::filesystem::path& model) {
  const graph::Graph graph = import::import_model(model, options_of(model));
  std::vector<std::vector<float>> result;
  for (const graph::Bytes& bytes : run_case(graph, ramp_inputs(graph), {}).outputs) {
    result.emplace_back(bytes.size() / sizeof(float));
    std::memcpy(result.back().data(), bytes.data(), bytes.size());
  }
  return result;
}

/// A network beside its recorded output NAME_output_0.pb, fed as ONNX's runner does it.
SuiteCase run_light_network(const std::filesystem::path& model) {
  SuiteCase result;
  result.name = result.op = model.stem().string();
  judge_case(result, [&] {
    const graph::Graph graph = import::import_model(model);
    const auto file = model.parent_path() / (result.name + "_output_0.pb");
    const import::Array want = import::read_onnx_tensor(import::read_file(file), file.filename().string());
    result.message = compare_case(graph, run_case(graph, ramp_inputs(graph), {}), {want}, {});
    if (!result.message.empty()) result.verdict = Verdict::Fail;
  });
  return result;
}

class TrainedFloat : public ::testing::TestWithParam<const char*> {};

TEST_P(TrainedFloat, EqualsOnnxRuntime) {
  VDLA_NEED_DATA();
  const Recorded want = recorded(GetParam());
  const auto outputs = run_on_ramp(testing::data_folder() / GetParam());
  ASSERT_EQ(outputs.at(0).size(), want.count);
  const std::size_t step = std::max<std::size_t>(1, (want.count + 127) / 128);
  double largest = 0;
  for (double w : want.some) largest = std::max(largest, std::fabs(w));
  double worst = 0;
  for (std::size_t i = 0; i < want.some.size(); ++i) {
    const double w = want.some[i], h = outputs[0].at(i * step);
    // Relative to the element; where that is small beside the others, sums that cancel count by their terms.
    worst = std::max(worst, std::fabs(h - w) / std::max(std::fabs(w), 0.01 * largest));
  }
  EXPECT_LT(worst, 1e-4);
  RecordProperty("largest_relative_difference", std::to_string(worst));
  std::printf("%s: largest relative difference %.2e\n", GetParam(), worst);
}

INSTANTIATE_TEST_SUITE_P(
    Networks, TrainedFloat,
    ::testing::Values("tvm_paper_like/dcgan_mnist_netG.onnx", "tvm_paper_like/dqn_snake.onnx",
                      "tvm_paper_like/lstm_mnist_rows.onnx", "onnx_zoo/mnist_8/model.onnx",
                      "imagenet/models/SqueezeNet_fp32.onnx",
                      "imagenet/models/mobilenet_v2_fp32_from_uint8.onnx",
                      "cifar10/models/resnet20_cifar10.onnx", "cifar10/models/resnet20_cifar10_bnfolded.onnx",
                      "small_models/micro_kws_m/micro_kws_m_static_qoperator.onnx",
                      "public_models/deeploy_cct_op20_f.onnx", "public_models/deeploy_transformer_dq.onnx",
                      "public_models/dtln_onnx_1.onnx", "public_models/fastestdet_f.onnx",
                      "public_models/silero_vad_v5.onnx", "public_models/superres_10_f.onnx",
                      "public_models/tract_qlstm.onnx"),
    kNamedByText);

TEST(RecordedFloat, Mnist8) {
  VDLA_NEED_DATA();
  SuiteOptions options;
  options.rtol = 1e-4;
  options.atol = 1e-2;  // of outputs in the thousands
  for (const SuiteCase& c : run_onnx_suite(testing::data_folder() / "onnx_zoo/mnist_8", options))
    EXPECT_EQ(c.verdict, Verdict::Pass) << c.message;
}

class LightNetworks : public ::testing::TestWithParam<const char*> {};

TEST_P(LightNetworks, EqualRecorded) {
  VDLA_NEED_DATA();
  const auto folder = testing::data_folder() / "onnx_backend_v1.12.0/light";
  const SuiteCase c = run_light_network(folder / (std::string("light_") + GetParam() + ".onnx"));
  EXPECT_EQ(c.verdict, Verdict::Pass) << c.message;
}

INSTANTIATE_TEST_SUITE_P(Light, LightNetworks,
                         ::testing::Values("bvlc_alexnet", "densenet121", "inception_v1", "inception_v2",
                                           "resnet50", "shufflenet", "squeezenet", "vgg19", "zfnet512"),
                         kNamedByText);

}  // namespace
}  // namespace vdla::tools
