// SPDX-License-Identifier: Apache-2.0
// Single operators from graph to functional engine: the published cases of CMSIS-NN, and the layers of four
// networks.
#include <gmock/gmock.h>

#include "compiler/import/file.h"
#include "compiler/import/import.h"
#include "tests/compiler/import/data.h"
#include "tests/compiler/pipeline/cmsis_case.h"
#include "tests/e2e/machine.h"

namespace vdla::testing {
namespace {

class Operators : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, Operators, ::testing::Values("tiny", "paper"),
                         [](const auto& i) { return i.param; });

TEST_P(Operators, EveryInt8CaseOfCmsisNnIsExact) {
  VDLA_NEED_DATA();
  std::map<std::string, int> on_device;
  for (const auto& entry : std::filesystem::directory_iterator(data_folder() / "cmsis_nn/json")) {
    SCOPED_TRACE(entry.path().stem().string());
    const auto c = cmsis_case(entry.path());
    if (!c) continue;
    Machine machine(c->graph, GetParam());
    EXPECT_EQ(machine.run(c->inputs).at(0), c->expected);
    const auto& node = machine.model().nodes.at(0);
    if (node.place == pipeline::Place::Device)
      ++on_device[node.op];
    else
      RecordProperty(entry.path().stem().string(), node.reason);
  }
  for (const char* op : {"conv2d", "depthwise_conv2d", "fully_connected", "add", "avg_pool2d", "max_pool2d"})
    EXPECT_GT(on_device[op], 0) << op;
}

TEST_P(Operators, EveryLayerOfFourNetworksIsExact) {
  VDLA_NEED_DATA();
  const auto data = data_folder() / "mlperf_tiny";
  for (const auto& entry : std::filesystem::directory_iterator(data / "layers_tum")) {
    const std::string stem = entry.path().stem().string();
    const auto golden = data / "layers_golden" / (stem + ".out.bin");
    if (entry.path().extension() != ".tflite" || !std::filesystem::exists(golden)) continue;
    const graph::Graph g = import::import_model(entry.path());
    std::vector<graph::Bytes> inputs;
    for (std::size_t i = 0; i < g.inputs.size(); ++i)
      inputs.push_back(
          import::read_file(data / "layers_golden" / (stem + ".in" + std::to_string(i) + ".bin")));
    EXPECT_EQ(Machine(g, GetParam()).run(inputs).at(0), import::read_file(golden)) << stem;
  }
}

}  // namespace
}  // namespace vdla::testing
