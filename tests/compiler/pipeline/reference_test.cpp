// SPDX-License-Identifier: Apache-2.0
// Whole networks and single layers on the interpreter, against recorded outputs: the oracle is right.
#include "compiler/pipeline/reference.h"

#include <gmock/gmock.h>

#include "compiler/import/file.h"
#include "compiler/import/import.h"
#include "support/error.h"
#include "tests/compiler/import/data.h"
#include "tests/compiler/pipeline/golden.h"

namespace vdla::pipeline {
namespace {

TEST(Reference, Resnet8EqualsTheRecordedOutputs) {
  VDLA_NEED_DATA();
  const auto data = testing::data_folder();
  Reference reference(import::import_model(data / "mlperf_tiny/models/pretrainedResnet_quant.tflite"));
  const auto golden = testing::csv_rows(data / "cifar10/resnet8_int8_golden_dev1000.csv");
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(reference.run({testing::cifar_image(data / "cifar10/cifar10_test_dev1000.bin", i)}).at(0),
              golden.at(static_cast<std::size_t>(i)))
        << "image " << i;
}

TEST(Reference, SingleLayersOfFourNetworksEqualTheRecordedOutputs) {
  VDLA_NEED_DATA();
  const auto data = testing::data_folder() / "mlperf_tiny";
  int compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(data / "layers_tum")) {
    const std::string stem = entry.path().stem().string();
    const auto golden = data / "layers_golden" / (stem + ".out.bin");
    if (entry.path().extension() != ".tflite" || !std::filesystem::exists(golden)) continue;
    const graph::Graph g = import::import_model(entry.path());
    std::vector<graph::Bytes> inputs;
    for (std::size_t i = 0; i < g.inputs.size(); ++i)
      inputs.push_back(
          import::read_file(data / "layers_golden" / (stem + ".in" + std::to_string(i) + ".bin")));
    EXPECT_EQ(Reference(g).run(inputs).at(0), import::read_file(golden)) << stem;
    ++compared;
  }
  EXPECT_EQ(compared, 70);
}

TEST(Reference, WrongInputSizeIsRefused) {
  graph::Graph g;
  const auto x = g.add_tensor({"x", graph::DataType::Int8, {4}, {}, nullptr});
  g.add_input(x);
  g.add_output(g.add_node("r", graph::Reshape{{2, 2}}, {x}));
  EXPECT_THAT([&] { Reference(g).run({graph::Bytes(3)}); },
              ::testing::ThrowsMessage<UserError>(::testing::HasSubstr("input 'x' takes 4 bytes, got 3")));
}

}  // namespace
}  // namespace vdla::pipeline
