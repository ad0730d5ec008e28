// SPDX-License-Identifier: Apache-2.0
// Single operators from graph to engine: the published cases of CMSIS-NN, and the layers of four networks.
#include "compiler/import/file.h"
#include "compiler/import/import.h"
#include "tests/compiler/pipeline/cmsis_case.h"
#include "tests/e2e/kit.h"

namespace vdla::e2e {
namespace {

namespace fs = std::filesystem;

fs::path cmsis_folder() { return vdla::testing::data_folder() / "cmsis_nn/json"; }

class Operators : public ::testing::TestWithParam<std::string> {};

TEST_P(Operators, EveryInt8CaseOfCmsisNnIsExact) {
  VDLA_NEED_DATA();
  std::map<std::string, int> on_device;
  for (const auto& entry : fs::directory_iterator(cmsis_folder())) {
    SCOPED_TRACE(entry.path().stem().string());
    const auto c = vdla::testing::cmsis_case(entry.path());
    if (!c) continue;
    const runtime::Module module = compile(c->graph, GetParam());
    EXPECT_EQ(Machine(module, "functional").run(c->inputs).at(0), c->expected);
    // A packed convolution has its taps in front.
    if (module.nodes.back().place == "vdla") ++on_device[module.nodes.back().op];
  }
  for (const char* op : {"conv2d", "depthwise_conv2d", "fully_connected", "add", "avg_pool2d", "max_pool2d"})
    EXPECT_GT(on_device[op], 0) << op;
}

TEST_P(Operators, EveryLayerOfFourNetworksIsExact) {
  VDLA_NEED_DATA();
  const auto data = vdla::testing::data_folder() / "mlperf_tiny";
  int compared = 0;
  for (const auto& entry : fs::directory_iterator(data / "layers_tum")) {
    const std::string stem = entry.path().stem().string();
    const auto golden = data / "layers_golden" / (stem + ".out.bin");
    if (entry.path().extension() != ".tflite" || !fs::exists(golden)) continue;
    const graph::Graph g = import::import_model(entry.path());
    std::vector<Bytes> inputs;
    for (std::size_t i = 0; i < g.inputs.size(); ++i)
      inputs.push_back(
          import::read_file(data / "layers_golden" / (stem + ".in" + std::to_string(i) + ".bin")));
    EXPECT_EQ(Machine(compile(g, GetParam()), "functional").run(inputs).at(0), import::read_file(golden))
        << stem;
    ++compared;
  }
  EXPECT_EQ(compared, 70);
}

INSTANTIATE_TEST_SUITE_P(For, Operators, ::testing::Values("tiny", "paper"), case_name);

struct Case {
  const char* file;
  const char* what;
};

/// A spread of the published cases, one image each, all of which land on the device.
const Case kSpread[] = {
    {"basic", "plain convolution"},
    {"conv_1_x_n_3", "rectangular kernel"},
    {"conv_1_x_n_8", "rectangular kernel, padding"},
    {"conv_2x3_dilation", "dilation, rectangular kernel"},
    {"conv_3x2_dilation", "dilation, rectangular kernel"},
    {"conv_dilation_golden", "dilation"},
    {"grouped_conv", "groups"},
    {"grouped_conv_1", "groups, odd channels"},
    {"kernel1x1_stride_x_y", "1x1 with strides"},
    {"stride2pad1", "stride, padding, zero points"},
    {"in_ch_one_out_ch_larger_one", "one input channel"},
    {"depthwise_2", "depthwise, multiplier"},
    {"depthwise_dilation", "depthwise, dilation"},
    {"depthwise_x_stride", "depthwise, rectangular stride"},
    {"fully_connected", "dense"},
    {"fully_connected_w_zp", "dense, weight zero point"},
    {"fully_connected_mve_1", "dense, odd channels"},
    {"add", "element-wise sum"},
    {"avgpooling_3", "average pooling"},
    {"avgpooling_4", "average pooling, padding"},
    {"maxpooling_1", "maximum pooling"},
    {"maxpooling_4", "maximum pooling, odd channels"},
};

class OperatorsOnEngines : public ::testing::TestWithParam<std::string> {};

TEST_P(OperatorsOnEngines, ASpreadOfTheCasesIsExact) {
  VDLA_NEED_DATA();
  VDLA_NEED_ENGINE(GetParam());
  for (const Case& published : kSpread) {
    SCOPED_TRACE(std::string(published.file) + ": " + published.what);
    const auto c = vdla::testing::cmsis_case(cmsis_folder() / (std::string(published.file) + ".json"));
    ASSERT_TRUE(c);
    for (const char* variant : {"tiny", "paper"}) {
      const runtime::Module module = compile(c->graph, variant);
      EXPECT_EQ(module.nodes.back().place, "vdla") << module.nodes.back().reason;
      EXPECT_EQ(Machine(module, GetParam()).run(c->inputs).at(0), c->expected) << variant;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(On, OperatorsOnEngines, ::testing::ValuesIn(engines()), case_name);

}  // namespace
}  // namespace vdla::e2e
