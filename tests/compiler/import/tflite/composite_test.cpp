// SPDX-License-Identifier: Apache-2.0
// STABLEHLO_COMPOSITE: an operator that a subgraph of the model defines.
#include <gmock/gmock.h>

#include <cstring>

#include "compiler/import/import.h"
#include "compiler/import/schema/tflite_generated.h"
#include "compiler/pipeline/reference.h"
#include "support/error.h"

namespace vdla::import {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using tflite::TensorType;

using Floats = std::vector<float>;
using Ints = std::vector<std::int32_t>;

/// An operator of one output: NEG, ABS, or the subgraph of a number.
struct Step {
  int composite = -1;  ///< the subgraph; below zero: `builtin`
  unsigned builtin = 0;
  Ints inputs;
  std::int32_t output = 0;
};
struct Function {
  std::size_t tensors = 2;
  Ints inputs, outputs;
  std::vector<Step> steps;
  std::int32_t extent = 2;
};

constexpr unsigned kNeg = 0, kAbs = 1, kComposite = 2;

std::vector<std::byte> file_of(const std::vector<Function>& functions) {
  flatbuffers::FlatBufferBuilder b;
  std::vector<flatbuffers::Offset<tflite::SubGraph>> graphs;
  for (const Function& f : functions) {
    const Ints shape{f.extent};
    std::vector<flatbuffers::Offset<tflite::Tensor>> tensors;
    for (std::size_t i = 0; i < f.tensors; ++i)
      tensors.push_back(
          tflite::CreateTensorDirect(b, &shape, TensorType::FLOAT32, 0, ("t" + std::to_string(i)).c_str()));
    std::vector<flatbuffers::Offset<tflite::Operator>> operators;
    for (const Step& s : f.steps) {
      const Ints out{s.output};
      if (s.composite < 0)
        operators.push_back(tflite::CreateOperatorDirect(b, s.builtin, &s.inputs, &out));
      else
        operators.push_back(tflite::CreateOperatorDirect(
            b, kComposite, &s.inputs, &out, tflite::BuiltinOptions::NONE, 0, nullptr, 0, nullptr, nullptr, 0,
            0, tflite::BuiltinOptions2::CompositeOptions,
            tflite::CreateCompositeOptions(b, 0, s.composite).Union()));
    }
    graphs.push_back(tflite::CreateSubGraphDirect(b, &tensors, &f.inputs, &f.outputs, &operators));
  }
  const std::vector<flatbuffers::Offset<tflite::OperatorCode>> codes{
      tflite::CreateOperatorCodeDirect(b, 59, nullptr, 1, 59),
      tflite::CreateOperatorCodeDirect(b, 101, nullptr, 1, 101),
      tflite::CreateOperatorCodeDirect(b, 127, nullptr, 1, 206)};
  const std::vector<flatbuffers::Offset<tflite::Buffer>> buffers{tflite::CreateBuffer(b)};
  b.Finish(tflite::CreateModelDirect(b, 3, &codes, &graphs, "", &buffers), "TFL3");
  const auto bytes = std::as_bytes(std::span(b.GetBufferPointer(), b.GetSize()));
  return {bytes.begin(), bytes.end()};
}

graph::Graph import_file(const std::vector<Function>& functions) {
  return import_tflite(file_of(functions), "built.tflite");
}

Function one_step(const Step& step) { return {2, {0}, {1}, {step}}; }

void expect_refusal(const std::vector<Function>& functions, const std::string& sentence) {
  EXPECT_THAT([&] { import_file(functions); }, ThrowsMessage<UserError>(HasSubstr(sentence)));
}

// -|x| twice over, the inner one within a subgraph of its own.
TEST(TfliteComposite, IsWhatItsSubgraphIs) {
  const graph::Graph g = import_file({
      {3, {0}, {2}, {{1, 0, {0}, 1}, {1, 0, {1}, 2}}},
      {3, {0}, {2}, {{2, 0, {0}, 1}, {-1, kNeg, {1}, 2}}},
      one_step({-1, kAbs, {0}, 1}),
  });
  EXPECT_EQ(g.nodes.size(), 4u);
  EXPECT_EQ(g.nodes.at(0).name, "stablehlo_composite_0/stablehlo_composite_0/abs_0");
  EXPECT_EQ(g.tensor(g.outputs.at(0).tensor).name, "t2");
  const graph::Bytes out = pipeline::Reference(g).run({*graph::to_bytes(Floats{3, -4})}).at(0);
  Floats result(2);
  std::memcpy(result.data(), out.data(), out.size());
  EXPECT_THAT(result, ElementsAre(-3, -4));
}

// Its output is an input as it came.
TEST(TfliteComposite, OfNoOperatorGivesItsInput) {
  const graph::Graph g = import_file({one_step({1, 0, {0}, 1}), {1, {0}, {0}, {}}});
  EXPECT_EQ(g.tensor(g.outputs.at(0).tensor).name, "t1");
}

TEST(TfliteComposite, DamagedOnesAreRefused) {
  const Function abs = one_step({-1, kAbs, {0}, 1});
  expect_refusal({one_step({2, 0, {0}, 1}), abs}, "names subgraph 2 of 2 (corrupt)");
  expect_refusal({one_step({0, 0, {0}, 1})}, "stands for subgraph 0, which contains it (corrupt)");
  expect_refusal({one_step({1, 0, {0}, 1}), one_step({2, 0, {0}, 1}), one_step({1, 0, {0}, 1})},
                 "stands for subgraph 1, which contains it (corrupt)");
  expect_refusal({{2, {0}, {1}, {{1, 0, {0, 0}, 1}}}, abs}, "has 2 inputs, its subgraph 1 has 1");
  expect_refusal({one_step({1, 0, {0}, 1}), {2, {0}, {1, 1}, {{-1, kAbs, {0}, 1}}}},
                 "has 1 outputs, its subgraph 1 has 2");
  expect_refusal({one_step({1, 0, {0}, 1}), {2, {0}, {1}, {{-1, kAbs, {0}, 1}}, 3}},
                 "has an input of float32 2 for 'stablehlo_composite_0/t0', which is float32 3");
  expect_refusal({one_step({1, 0, {0}, 1}), {2, {0}, {1}, {{-1, kAbs, {7}, 1}}}},
                 "names tensor 7 of 2 (corrupt)");
  expect_refusal({one_step({-1, kComposite, {0}, 1})}, "lacks its options (corrupt)");
}

// 64 subgraphs that stand for the next one twice each would be 2^64 operators.
TEST(TfliteComposite, SubgraphsThatGrowWithoutEndAreRefused) {
  std::vector<Function> all;
  for (int i = 0; i < 40; ++i) all.push_back({3, {0}, {2}, {{i + 1, 0, {0}, 1}, {i + 1, 0, {1}, 2}}});
  all.push_back(one_step({-1, kAbs, {0}, 1}));
  expect_refusal(all, "operators within others, needs fewer");
  std::vector<Function> deep;
  for (int i = 0; i < 200; ++i) deep.push_back(one_step({i + 1, 0, {0}, 1}));
  deep.push_back(one_step({-1, kAbs, {0}, 1}));
  expect_refusal(deep, "within 64 others, needs fewer");
}

}  // namespace
}  // namespace vdla::import
