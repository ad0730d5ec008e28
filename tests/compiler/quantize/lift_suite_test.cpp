// SPDX-License-Identifier: Apache-2.0
// ONNX's conformance suite and public networks below operator set 13: the lifted file has the answers of the
// original.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>

#include "compiler/import/file.h"
#include "compiler/import/onnx_importer.h"
#include "compiler/quantize/lift.h"
#include "support/error.h"
#include "tests/compiler/import/data.h"
#include "tests/test_name.h"
#include "tools/onnx_suite/onnx_case.h"

namespace vdla::quantize {
namespace {

namespace fs = std::filesystem;

onnx::ModelProto parse(const graph::Bytes& bytes) {
  onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())));
  return model;
}

std::int64_t set_of(const onnx::ModelProto& model) {
  for (const auto& set : model.opset_import())
    if (set.domain().empty()) return set.version();
  return 1;
}

graph::Bytes bytes_of(const onnx::ModelProto& model) {
  const std::string text = model.SerializeAsString();
  const auto view = std::as_bytes(std::span(text));
  return {view.begin(), view.end()};
}

/// Makes inputs whose values the compiler must know constants.
void bind_inputs(onnx::ModelProto& model, const std::vector<std::string>& names, const fs::path& data) {
  auto& inputs = *model.mutable_graph()->mutable_input();
  for (int i = inputs.size(), file = i; i-- > 0;) {
    --file;
    if (std::ranges::find(names, inputs[i].name()) == names.end()) continue;
    onnx::TensorProto& t = *model.mutable_graph()->add_initializer();
    const graph::Bytes bytes = import::read_file(data / ("input_" + std::to_string(file) + ".pb"));
    EXPECT_TRUE(t.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())));
    t.set_name(inputs[i].name());
    inputs.DeleteSubrange(i, 1);
  }
}

struct Counts {
  int equal = 0, refused = 0;
};

/// Runs the model of a case as it is and lifted.
void compare(const fs::path& folder, Counts& counts) {
  const std::string name = folder.filename().string();
  const graph::Bytes bytes = import::read_file(folder / "model.onnx");
  onnx::ModelProto model = parse(bytes);
  if (set_of(model) >= kQuantisedSet) return;
  const fs::path recorded = folder / "test_data_set_0";
  tools::DataSet data;
  std::vector<std::string> bound;
  graph::Graph original;
  try {
    data = tools::read_data_set(bytes, name, recorded);
    original = tools::import_case(bytes, name, data, bound);
  } catch (const UserError&) {
    return;  // the importer does not know it
  }
  bind_inputs(model, bound, recorded);
  try {
    Values values = import::values_of(model, "'" + name + "': ");
    lift(model, values, "'" + name + "': ");
  } catch (const UserError& e) {
    std::printf("%s\n", e.what());
    ++counts.refused;
    return;
  }
  EXPECT_EQ(set_of(model), kQuantisedSet) << name;
  const graph::Graph lifted = import::import_onnx(bytes_of(model), name);
  tools::SuiteOptions options;
  options.interpret = true;
  EXPECT_EQ(tools::run_case(original, tools::inputs_of(original, data), options).outputs,
            tools::run_case(lifted, tools::inputs_of(lifted, data), options).outputs)
      << name;
  ++counts.equal;
}

TEST(LiftSuite, CasesBelowSet13HaveTheirAnswersThere) {
  VDLA_NEED_DATA();
  Counts counts;
  for (const auto& entry : fs::directory_iterator(vdla::testing::data_folder() / "onnx_backend_v1.12.0/node"))
    if (fs::exists(entry.path() / "model.onnx")) compare(entry.path(), counts);
  std::printf("%d equal, %d refused\n", counts.equal, counts.refused);
  EXPECT_GE(counts.equal, 185);
  EXPECT_EQ(counts.refused, 5) << "bodies of If, Loop and Scan are not lifted";
}

/// A network of the data; as machine code, because the interpreter takes minutes.
class LiftNetwork : public ::testing::TestWithParam<const char*> {};

TEST_P(LiftNetwork, HasItsAnswersInSet13) {
  VDLA_NEED_DATA();
  const graph::Bytes bytes = import::read_file(vdla::testing::data_folder() / GetParam());
  onnx::ModelProto model = parse(bytes);
  ASSERT_LT(set_of(model), kQuantisedSet);
  Values values = import::values_of(model, "the network: ");
  lift(model, values, "the network: ");
  const graph::Graph original = import::import_onnx(bytes, "original"),
                     lifted = import::import_onnx(bytes_of(model), "lifted");
  std::vector<graph::Bytes> inputs;
  for (const graph::Port& port : original.inputs) {
    std::vector<float> ramp(static_cast<std::size_t>(graph::element_count(port.model_shape)));
    for (std::size_t i = 0; i < ramp.size(); ++i) ramp[i] = static_cast<float>(i % 1013) / 506 - 1;
    const auto* at = reinterpret_cast<const std::byte*>(ramp.data());
    inputs.emplace_back(at, at + ramp.size() * sizeof(float));
  }
  EXPECT_EQ(tools::run_case(original, inputs, {}).outputs, tools::run_case(lifted, inputs, {}).outputs);
}

INSTANTIATE_TEST_SUITE_P(
    Data, LiftNetwork,
    ::testing::Values(
        "deeploy/Kernels/FP32/Add/Regular/network.onnx", "deeploy/Kernels/FP32/Pad/network.onnx",
        "deeploy/Kernels/FP32/ReduceSum/network.onnx", "deeploy/Kernels/FP32/Squeeze/network.onnx",
        "dory_nemo/Residual_connection_test_2/model_int.onnx", "imagenet/models/SqueezeNet_fp32.onnx",
        "mlperf_tiny/models_onnx/pretrainedResnet_float.onnx", "mlperf_tiny/models_onnx/vww_96_float.onnx",
        "onnx_zoo/mnist_8/model.onnx", "public_models/dtln_onnx_1.onnx", "public_models/fastestdet_f.onnx",
        "public_models/superres_10_f.onnx", "tvm_paper_like/dcgan_mnist_netG.onnx",
        "tvm_paper_like/lstm_mnist_rows.onnx"),
    kNamedByText);

}  // namespace
}  // namespace vdla::quantize
