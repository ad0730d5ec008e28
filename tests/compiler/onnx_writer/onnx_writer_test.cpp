// SPDX-License-Identifier: Apache-2.0
// Graphs written as ONNX: what TensorFlow Lite answers to a drawn file, the ONNX file that its graph becomes
// answers, too.
#include "compiler/onnx_writer/onnx_writer.h"

#include <gmock/gmock.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/error.h"
#include "tests/compiler/import/onnx_builder.h"
#include "tests/compiler/import/random_graphs/recorded.h"
#include "tests/compiler/import/random_tflite/draw.h"
#include "tests/compiler/import/random_tflite/run.h"

namespace vdla::onnx_writer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using vdla::testing::OnnxModel;

constexpr int kFloat = onnx::TensorProto::FLOAT;

onnx::ModelProto parsed(const graph::Bytes& bytes) {
  onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())));
  return model;
}

std::vector<std::string> operators(const graph::Bytes& bytes) {
  return import::summarise_onnx(bytes, "written.onnx").operators;
}

/// The operators of a model that is read and written again.
std::vector<std::string> rewritten(const OnnxModel& m) {
  const auto file = m.bytes();
  return operators(to_onnx(import::import_onnx(file, "m.onnx"), "m: "));
}

/// Reasons for which a file of TFLite has no form in ONNX.
bool is_known_reason(const std::string& message) {
  for (const char* reason : {"keeps values from one input to the next", "the model is quantised already",
                             "computes 'round'", "of floats alone", "computes nothing of its inputs"})
    if (message.find(reason) != std::string::npos) return true;
  return false;
}

TEST(OnnxWriter, GivesTheAnswersOfTensorFlowLite) {
  std::set<std::string> operators;
  std::size_t refused = 0;
  for (const random_graphs::Recorded& r :
       random_graphs::read_recorded(VDLA_SOURCE_DIR "/tests/compiler/import/random_tflite/recorded.txt")) {
    const random_tflite::Drawn drawn = random_tflite::draw(r.seed);
    graph::Bytes written;
    try {
      written = to_onnx(import::import_tflite(drawn.model, "drawn"), "drawn: ");
    } catch (const UserError& e) {
      EXPECT_TRUE(is_known_reason(e.what())) << "seed " << r.seed << ", " << drawn.op << ": " << e.what();
      ++refused;
      continue;
    }
    const random_graphs::Ran ran = random_graphs::run_here(
        [&] { return import::import_onnx(written, "written.onnx"); },
        [&](const runtime::Port&, std::size_t place) { return drawn.inputs.at(place); },
        random_graphs::Place::Interpreter);
    EXPECT_EQ(ran.refused + ran.broken, "") << "seed " << r.seed << ": " << drawn.op;
    if (ran.refused.empty() && ran.broken.empty())
      EXPECT_EQ(compare(ran.outputs, r), "") << "seed " << r.seed << ": " << drawn.op;
    operators.insert(drawn.op);
  }
  EXPECT_GE(operators.size(), 80u);
  EXPECT_GT(refused, 50u);
}

// The quantiser looks for operators, not for the parts that importers compose them of.
TEST(OnnxWriter, WritesTheOperatorsThatAModelHad) {
  OnnxModel m;
  m.opset(20);
  m.input("x", {1, 2, 6, 6});
  m.constant("w", kFloat, {3, 2, 3, 3}, std::vector<double>(54, 0.25));
  m.constant("b", kFloat, {3}, {1, 2, 3});
  m.constant("low", kFloat, {}, {0});
  m.constant("high", kFloat, {}, {6});
  m.constant("axes", onnx::TensorProto::INT64, {2}, {2, 3});
  m.constant("wd", kFloat, {3, 4}, std::vector<double>(12, 0.5));
  m.constant("bd", kFloat, {4}, {1, 2, 3, 4});
  OnnxModel::ints(m.node("Conv", {"x", "w", "b"}, "conv"), "pads", {1, 1, 1, 1});
  m.node("Relu", {"conv"}, "relu");
  auto& pool = m.node("AveragePool", {"relu"}, "pool");
  OnnxModel::ints(pool, "kernel_shape", {3, 3});
  OnnxModel::ints(pool, "pads", {1, 1, 1, 1});
  m.node("Sigmoid", {"pool"}, "sigmoid");
  m.node("HardSwish", {"sigmoid"}, "hard");
  OnnxModel::ints(m.node("MaxPool", {"hard"}, "max"), "kernel_shape", {2, 2});
  m.node("Gelu", {"max"}, "gelu");
  m.node("Clip", {"gelu", "low", "high"}, "clip");
  m.node("LeakyRelu", {"clip"}, "leaky");
  m.node("Elu", {"leaky"}, "elu");
  OnnxModel::integer(m.node("ReduceMean", {"elu", "axes"}, "mean"), "keepdims", 0);
  m.node("Gemm", {"mean", "wd", "bd"}, "dense");
  m.node("Softmax", {"dense"}, "softmax");
  m.node("LogSoftmax", {"softmax"}, "y");
  m.output("y");
  EXPECT_THAT(rewritten(m),
              ElementsAre("Conv", "Relu", "AveragePool", "Sigmoid", "HardSwish", "MaxPool", "Gelu", "Clip",
                          "LeakyRelu", "Elu", "ReduceMean", "Gemm", "Softmax", "LogSoftmax"));
}

TEST(OnnxWriter, KeepsTheNamesOfTensors) {
  OnnxModel m;
  m.input("x", {1, 4});
  m.node("Relu", {"x"}, "inner/value");
  m.node("Exp", {"inner/value"}, "y");
  m.output("y");
  const onnx::ModelProto written = parsed(to_onnx(import::import_onnx(m.bytes(), "m.onnx"), "m: "));
  ASSERT_EQ(written.graph().node_size(), 2);
  EXPECT_EQ(written.graph().input(0).name(), "x");
  EXPECT_EQ(written.graph().node(0).output(0), "inner/value");
  EXPECT_EQ(written.graph().output(0).name(), "y");
}

TEST(OnnxWriter, RefusesWhatOnnxLacks) {
  graph::Graph kept;
  const graph::TensorId x = kept.add_tensor({"x", graph::DataType::Float32, {2}, {}, nullptr});
  kept.add_input(x);
  kept.add_output(kept.add_node("y", graph::Reshape{{1, 2}}, {x}));
  kept.states.push_back({x, kept.outputs[0].tensor, nullptr});
  graph::Graph steps = kept;
  steps.states.clear();
  steps.tensor(x).quantization = {{0.5}, {0}, -1};
  for (const auto& [graph, reason] : {std::pair{&kept, "keeps values from one input to the next"},
                                      std::pair{&steps, "the model is quantised already"}}) {
    try {
      to_onnx(*graph, "network 'n': ");
      ADD_FAILURE() << "takes what " << reason;
    } catch (const UserError& e) {
      EXPECT_THAT(e.what(), HasSubstr("network 'n': "));
      EXPECT_THAT(e.what(), HasSubstr(reason));
    }
  }
}

}  // namespace
}  // namespace vdla::onnx_writer
