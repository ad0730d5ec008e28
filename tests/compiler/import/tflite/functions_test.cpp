// SPDX-License-Identifier: Apache-2.0
// TFLite models of several functions, each a subgraph with a signature.
#include <gmock/gmock.h>

#include "compiler/import/import.h"
#include "compiler/import/schema/tflite_generated.h"
#include "support/error.h"

namespace vdla::import {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// Two subgraphs, NEG and ABS of two floats, and signatures for them by their numbers.
std::vector<std::byte> two_functions(const std::vector<std::pair<std::string, unsigned>>& signatures,
                                     const char* output = "y") {
  flatbuffers::FlatBufferBuilder b;
  const std::vector<std::int32_t> shape{2}, in{0}, out{1};
  std::vector<flatbuffers::Offset<tflite::SubGraph>> graphs;
  for (unsigned code : {0U, 1U}) {
    const std::vector<flatbuffers::Offset<tflite::Tensor>> tensors{
        tflite::CreateTensorDirect(b, &shape, tflite::TensorType::FLOAT32, 0, "x"),
        tflite::CreateTensorDirect(b, &shape, tflite::TensorType::FLOAT32, 0, output)};
    const std::vector<flatbuffers::Offset<tflite::Operator>> operators{
        tflite::CreateOperatorDirect(b, code, &in, &out)};
    graphs.push_back(tflite::CreateSubGraphDirect(b, &tensors, &in, &out, &operators));
  }
  const std::vector<flatbuffers::Offset<tflite::OperatorCode>> codes{
      tflite::CreateOperatorCodeDirect(b, 59, nullptr, 1, 59),
      tflite::CreateOperatorCodeDirect(b, 101, nullptr, 1, 101)};
  const std::vector<flatbuffers::Offset<tflite::Buffer>> buffers{tflite::CreateBuffer(b)};
  std::vector<flatbuffers::Offset<tflite::SignatureDef>> all;
  for (const auto& [name, subgraph] : signatures)
    all.push_back(tflite::CreateSignatureDefDirect(b, nullptr, nullptr, name.c_str(), nullptr, subgraph));
  b.Finish(tflite::CreateModelDirect(b, 3, &codes, &graphs, "", &buffers, nullptr, nullptr, &all), "TFL3");
  const auto bytes = std::as_bytes(std::span(b.GetBufferPointer(), b.GetSize()));
  return {bytes.begin(), bytes.end()};
}

std::string only_node(const std::vector<std::byte>& model, const std::string& signature = "") {
  ImportOptions options;
  options.signature = signature;
  const graph::Graph g = import_tflite(model, "two.tflite", options);
  return g.nodes.size() == 1 ? g.nodes[0].name : "";
}

TEST(TfliteFunctions, TheSignatureNamesOne) {
  const auto model = two_functions({{"turn", 0}, {"size", 1}});
  EXPECT_EQ(only_node(model, "turn"), "neg_0");
  EXPECT_EQ(only_node(model, "size"), "abs_0");
}

TEST(TfliteFunctions, TheOnlyOneNeedsNoName) {
  EXPECT_EQ(only_node(two_functions({})), "neg_0");
  EXPECT_EQ(only_node(two_functions({{"size", 1}})), "abs_0");
}

TEST(TfliteFunctions, SeveralAreListed) {
  const auto model = two_functions({{"turn", 0}, {"size", 1}});
  EXPECT_THAT([&] { only_node(model); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("'turn', 'size'"), HasSubstr("--signature"))));
  EXPECT_THAT(
      [&] { only_node(model, "length"); },
      ThrowsMessage<UserError>(HasSubstr("has no signature 'length', its signatures are: 'turn', 'size'")));
  EXPECT_THAT([&] { only_node(two_functions({{"turn", 7}})); },
              ThrowsMessage<UserError>(HasSubstr("signature 0 names subgraph 7 of 2 (corrupt)")));
}

// Such an output lost the name of its node and had none.
TEST(TfliteFunctions, AnOutputWithoutANameHasThatOfItsNode) {
  const graph::Graph g = import_tflite(two_functions({}, nullptr), "two.tflite");
  EXPECT_EQ(g.tensor(g.outputs.at(0).tensor).name, "neg_0");
}

}  // namespace
}  // namespace vdla::import
