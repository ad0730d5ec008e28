// SPDX-License-Identifier: Apache-2.0
// A network of integers in a float model (NEMO's export for DORY: convolutions, multiply, add, divide by
// casts), held to the recorded output of every layer.
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "compiler/import/file.h"
#include "compiler/import/import.h"
#include "kit/module.h"
#include "runtime/session/session.h"
#include "tests/compiler/import/data.h"

namespace vdla::tools {
namespace {

/// Numbers one a line behind a line that names the layer.
std::vector<float> recorded(const std::filesystem::path& file) {
  std::ifstream text(file);
  std::string line;
  std::getline(text, line);
  std::vector<float> values;
  while (std::getline(text, line))
    if (!line.empty()) values.push_back(std::stof(line));
  return values;
}

TEST(IntegerNetwork, EveryLayerOfTheNemoNetEqualsTheRecordedOne) {
  VDLA_NEED_DATA();
  const auto folder = testing::data_folder() / "dory_nemo/Residual_connection_test_2";
  const graph::Bytes file = import::read_file(folder / "model_int.onnx");
  onnx::ModelProto model;
  ASSERT_TRUE(model.ParseFromArray(file.data(), static_cast<int>(file.size())));
  // The tensor of each recorded layer: what its Clip makes, the sum, the dense layer in front of the Sigmoid.
  const std::vector<std::string> layers{"65", "77", "89", "101", "113", "125", "133", "145", "148"};
  model.mutable_graph()->clear_output();
  for (const std::string& layer : layers) {
    auto& output = *model.mutable_graph()->add_output();
    output.set_name(layer);
    output.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
  }
  graph::Bytes showing(model.ByteSizeLong());
  ASSERT_TRUE(model.SerializeToArray(showing.data(), static_cast<int>(showing.size())));

  runtime::Session session(kit::compile_for_cpu(import::import_onnx(showing, "nemo")), nullptr, {});
  const std::vector<float> input = recorded(folder / "input.txt");
  ASSERT_EQ(input.size(), 200u * 200u);
  runtime::Bytes bytes(input.size() * sizeof(float));
  std::memcpy(bytes.data(), input.data(), bytes.size());
  const auto outputs = session.run_model({bytes}).outputs;
  ASSERT_EQ(outputs.size(), layers.size());
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const std::vector<float> want = recorded(folder / ("out_layer" + std::to_string(l) + ".txt"));
    std::vector<float> have(outputs[l].size() / sizeof(float));
    std::memcpy(have.data(), outputs[l].data(), outputs[l].size());
    ASSERT_EQ(have.size(), want.size()) << "layer " << l;
    const std::size_t channels = l + 1 == layers.size() ? 1 : 16, pixels = want.size() / channels;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < want.size(); ++i)  // recorded with channels last
      wrong += have[i % channels * pixels + i / channels] != want[i] ? 1 : 0;
    EXPECT_EQ(wrong, 0u) << "layer " << l << " of " << want.size();
  }
}

}  // namespace
}  // namespace vdla::tools
