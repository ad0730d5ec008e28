// SPDX-License-Identifier: Apache-2.0
// UNIDIRECTIONAL_SEQUENCE_LSTM: values of one cell, and files that are refused.
#include <gmock/gmock.h>

#include <cmath>
#include <cstring>

#include "compiler/pipeline/reference.h"
#include "support/error.h"
#include "tests/compiler/import/tflite/file.h"

namespace vdla::import {
namespace {

using ::testing::AllOf;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;
using ::testing::ThrowsMessage;
using tflite::Activation;
using tflite::BuiltinOptions;
using tflite::File;
using tflite::FileTensor;
using tflite::Ints;
using tflite::TensorType;

using Floats = std::vector<float>;

constexpr int kSteps = 3;
constexpr int kInputs = 20;

FileTensor constant(const Ints& shape, float value) {
  std::size_t count = 1;
  for (std::int32_t extent : shape) count *= static_cast<std::size_t>(extent);
  const Floats values(count, value);
  std::vector<std::uint8_t> bytes(count * 4);
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return {shape, TensorType::FLOAT32, bytes, 0};
}

/// A file of one cell whose weights of input, forget, cell and output gate are .5 to .8 for the input, .1 to
/// .4 for the state, and whose biases are 0.
struct Layer {
  std::vector<FileTensor> tensors;  ///< in the order of inputs, the output last
  Ints inputs;
  Activation activation = Activation::TANH;
  float clip = 0;
  bool diagonal = false;

  Layer() {
    tensors.push_back({{1, kSteps, 1}, TensorType::FLOAT32, {}, 0});
    for (const float w : {0.5F, 0.6F, 0.7F, 0.8F, 0.1F, 0.2F, 0.3F, 0.4F})
      tensors.push_back(constant({1, 1}, w));
    for (int i = 9; i < 12; ++i) tensors.push_back(constant({1}, 0));
    for (int i = 12; i < 16; ++i) tensors.push_back(constant({1}, 0));
    tensors.push_back(constant({1, 1}, 1));
    tensors.push_back(constant({1}, 0));
    FileTensor state{{1, 1}, TensorType::FLOAT32, {}, 0};
    state.variable = true;
    tensors.push_back(state);
    tensors.push_back(state);
    tensors.push_back({{1, kSteps, 1}, TensorType::FLOAT32, {}, 0});
    for (int i = 0; i < kInputs; ++i) inputs.push_back(i);
    for (const int i : {9, 10, 11, 16, 17}) inputs[static_cast<std::size_t>(i)] = -1;
  }

  graph::Graph import() const {
    File file;
    const auto options =
        tflite::CreateSequenceLstmOptions(file.builder(), activation, clip, 0, false, false, diagonal);
    return file.import(44, BuiltinOptions::SequenceLstmOptions, options, tensors, inputs);
  }
};

Floats run(pipeline::Reference& reference, const Floats& x) {
  const graph::Bytes out = reference.run({*graph::to_bytes(x)}).at(0);
  Floats result(out.size() / 4);
  std::memcpy(result.data(), out.data(), out.size());
  return result;
}

Floats run(const Layer& layer, const Floats& x) {
  pipeline::Reference reference(layer.import());
  return run(reference, x);
}

/// Outputs by the layer's definition.
Floats expected(const Floats& x, bool coupled, double peephole, double clip) {
  const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
  Floats result;
  double h = 0, c = 0;
  for (const float v : x) {
    const double forget = sigmoid(0.6 * v + 0.2 * h + peephole * c);
    const double input = coupled ? 1 - forget : sigmoid(0.5 * v + 0.1 * h + peephole * c);
    c = forget * c + input * std::tanh(0.7 * v + 0.3 * h);
    if (clip > 0) c = std::clamp(c, -clip, clip);
    h = sigmoid(0.8 * v + 0.4 * h + peephole * c) * std::tanh(c);
    result.push_back(static_cast<float>(h));
  }
  return result;
}

const Floats kData = {1, -2, 3};

TEST(SequenceLstm, ACellHasFourGates) {
  EXPECT_THAT(run({}, kData), Pointwise(FloatNear(1e-6F), expected(kData, false, 0, 0)));
}

TEST(SequenceLstm, WithoutAnInputGateItIsWhatTheForgetGateLeaves) {
  Layer layer;
  for (const std::size_t i : {1, 5, 12}) layer.inputs[i] = -1;
  EXPECT_THAT(run(layer, kData), Pointwise(FloatNear(1e-6F), expected(kData, true, 0, 0)));
}

TEST(SequenceLstm, PeepholesReadTheCellAndAClipLimitsIt) {
  Layer layer;
  for (const std::size_t i : {9, 10, 11}) {
    layer.inputs[i] = static_cast<std::int32_t>(i);
    layer.tensors[i] = constant({1}, 0.9F);
  }
  layer.clip = 0.4F;
  EXPECT_THAT(run(layer, kData), Pointwise(FloatNear(1e-6F), expected(kData, false, 0.9, 0.4)));
}

TEST(SequenceLstm, TheNextRunGoesOnWhereTheLastOneEnded) {
  pipeline::Reference reference(Layer().import());
  const Floats all = expected({1, -2, 3, 0.5F, -1, 2}, false, 0, 0);
  run(reference, kData);
  EXPECT_THAT(run(reference, {0.5F, -1, 2}),
              Pointwise(FloatNear(1e-6F), Floats(all.begin() + kSteps, all.end())));
  reference.reset_state();
  EXPECT_THAT(run(reference, kData), Pointwise(FloatNear(1e-6F), expected(kData, false, 0, 0)));
}

TEST(SequenceLstm, RefusalsNameTheInput) {
  const auto refused = [](const auto& change, const std::string& sentence) {
    Layer layer;
    change(layer);
    EXPECT_THAT(
        [&] { layer.import(); },
        ThrowsMessage<UserError>(AllOf(HasSubstr("UNIDIRECTIONAL_SEQUENCE_LSTM"), HasSubstr(sentence))));
  };
  refused([](Layer& l) { l.inputs[18] = -1; }, "has a state (input 18) that is no variable");
  refused([](Layer& l) { l.tensors[19] = constant({1, 1}, 1); },
          "has a state (input 19) that is no variable");
  refused([](Layer& l) { l.diagonal = true; }, "has diagonal weights of its state, needs whole matrices");
  refused([](Layer& l) { l.inputs[1] = -1; }, "for its input or its state alone, needs both or none");
  refused([](Layer& l) { l.inputs[13] = -1; }, "lacks input 13");
  refused([](Layer& l) { l.tensors[2] = constant({1, 2}, 1); }, "has weights (input 2) of 1x2, needs 1 x 1");
  refused([](Layer& l) { l.tensors[14] = constant({2}, 1); }, "has input 14 of 2, needs 1 elements");
  refused([](Layer& l) { l.tensors[8] = constant({1, 2}, 1); }, "has 2 outputs of 1 cells and no projection");
  refused([](Layer& l) { l.clip = -1; }, "has a clip of -1, needs 0 or more");
  refused([](Layer& l) { l.activation = Activation::SIGN_BIT; }, "has the activation SIGN_BIT");
  refused([](Layer& l) { l.inputs.resize(6); }, "lacks input 8");
  // Weights of 8-bit integers whose sums are floats.
  refused([](Layer& l) { l.tensors[3] = {{1, 1}, TensorType::INT8, {1}, 0.5F}; },
          "has input 3 of INT8 with a scale ('t'), which this kit computes as floats alone");
}

}  // namespace
}  // namespace vdla::import
