// SPDX-License-Identifier: Apache-2.0
// Recurrent layers of one cell by numbers that a reader can follow, and files that are refused.
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
using tflite::stored;
using tflite::TensorType;

using Floats = std::vector<float>;

constexpr int kSteps = 3;
constexpr int kInputs = 20;

FileTensor constant(const Ints& shape, float value) {
  std::size_t count = 1;
  for (std::int32_t extent : shape) count *= static_cast<std::size_t>(extent);
  return stored(TensorType::FLOAT32, shape, Floats(count, value), 0);
}

FileTensor kept(const Ints& shape, TensorType type, float scale, std::int64_t zero_point = 0) {
  FileTensor t{shape, type, {}, scale, zero_point};
  t.variable = true;
  return t;
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
    for (int i = 0; i < 2; ++i) tensors.push_back(kept({1, 1}, TensorType::FLOAT32, 0));
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

template <class T>
std::vector<T> run_layer(pipeline::Reference& reference, const std::vector<T>& x) {
  const graph::Bytes out = reference.run({*graph::to_bytes(x)}).at(0);
  std::vector<T> result(out.size() / sizeof(T));
  std::memcpy(result.data(), out.data(), out.size());
  return result;
}

Floats run_layer(const Layer& layer, const Floats& x) {
  pipeline::Reference reference(layer.import());
  return run_layer(reference, x);
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
  EXPECT_THAT(run_layer({}, kData), Pointwise(FloatNear(1e-6F), expected(kData, false, 0, 0)));
}

TEST(SequenceLstm, WithoutAnInputGateItIsWhatTheForgetGateLeaves) {
  Layer layer;
  for (const std::size_t i : {1, 5, 12}) layer.inputs[i] = -1;
  EXPECT_THAT(run_layer(layer, kData), Pointwise(FloatNear(1e-6F), expected(kData, true, 0, 0)));
}

TEST(SequenceLstm, PeepholesReadTheCellAndAClipLimitsIt) {
  Layer layer;
  for (const std::size_t i : {9, 10, 11}) {
    layer.inputs[i] = static_cast<std::int32_t>(i);
    layer.tensors[i] = constant({1}, 0.9F);
  }
  layer.clip = 0.4F;
  EXPECT_THAT(run_layer(layer, kData), Pointwise(FloatNear(1e-6F), expected(kData, false, 0.9, 0.4)));
}

TEST(SequenceLstm, TheNextRunGoesOnWhereTheLastOneEnded) {
  pipeline::Reference reference(Layer().import());
  const Floats all = expected({1, -2, 3, 0.5F, -1, 2}, false, 0, 0);
  run_layer(reference, kData);
  EXPECT_THAT(run_layer(reference, Floats{0.5F, -1, 2}),
              Pointwise(FloatNear(1e-6F), Floats(all.begin() + kSteps, all.end())));
  reference.reset_state();
  EXPECT_THAT(run_layer(reference, kData), Pointwise(FloatNear(1e-6F), expected(kData, false, 0, 0)));
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
  refused([](Layer& l) { l.tensors[3] = {{1, 1}, TensorType::INT8, {1}, 0.5F}; },
          "has input 3 of int8 with data of float32, needs one type");
}

constexpr float kFine = 0x1p-11F;  // steps of the cell

/// The layer in integers: data of 8 bits in steps of 1/32, or of 16 in steps of 1/8192.
Layer in_integers(TensorType type) {
  const bool wide = type == TensorType::INT16;
  Layer l;
  l.tensors[0] = {{1, kSteps, 1}, type, {}, wide ? 0x1p-13F : 0x1p-5F};
  const std::vector<std::int8_t> weights = {50, 60, 70, 80, 10, 20, 30, 40};
  for (std::size_t i = 0; i < weights.size(); ++i)
    l.tensors[i + 1] = stored<std::int8_t>(TensorType::INT8, {1, 1}, {weights[i]}, 0.01F);
  for (std::size_t i = 12; i < 16; ++i)
    l.tensors[i] = wide ? stored<std::int64_t>(TensorType::INT64, {1}, {0}, 1)
                        : stored<std::int32_t>(TensorType::INT32, {1}, {0}, 1);
  const float scale = wide ? 0x1p-15F : 0x1p-7F;
  l.tensors[18] = kept({1, 1}, type, scale, wide ? 0 : 5);
  l.tensors[19] = kept({1, 1}, TensorType::INT16, kFine);
  l.tensors[20] = {{1, kSteps, 1}, type, {}, scale, wide ? 0 : 5};
  return l;
}

/// Results of two runs as reals, less a zero point.
template <class T>
Floats reals_of_two_runs(const Layer& layer, float data_scale, float scale, int zero_point) {
  pipeline::Reference reference(layer.import());
  Floats result;
  for (int i = 0; i < 2; ++i) {
    std::vector<T> x;
    for (const float v : kData) x.push_back(static_cast<T>(v / data_scale));
    for (const T v : run_layer(reference, x)) result.push_back(static_cast<float>(v - zero_point) * scale);
  }
  return result;
}

TEST(SequenceLstm, OfIntegersIsNearTheLayerOfFloats) {
  const Floats right = expected({1, -2, 3, 1, -2, 3}, false, 0, 0);
  EXPECT_THAT(reals_of_two_runs<std::int8_t>(in_integers(TensorType::INT8), 0x1p-5F, 0x1p-7F, 5),
              Pointwise(FloatNear(0x1p-6F), right));
  EXPECT_THAT(reals_of_two_runs<std::int16_t>(in_integers(TensorType::INT16), 0x1p-13F, 0x1p-15F, 0),
              Pointwise(FloatNear(0x1p-9F), right));
  Layer clipped = in_integers(TensorType::INT16);
  clipped.clip = 0.4F;
  EXPECT_THAT(reals_of_two_runs<std::int16_t>(clipped, 0x1p-13F, 0x1p-15F, 0),
              Pointwise(FloatNear(0x1p-9F), expected({1, -2, 3, 1, -2, 3}, false, 0, 0.4)));
}

TEST(SequenceLstm, OfIntegersHasTheFormOfMicroAlone) {
  const auto refused = [](const auto& change, const std::string& sentence) {
    Layer layer = in_integers(TensorType::INT8);
    change(layer);
    EXPECT_THAT([&] { layer.import(); }, ThrowsMessage<UserError>(HasSubstr(sentence)));
  };
  refused([](Layer& l) { l.inputs[10] = 10; },
          "has peepholes (input 10), which TFLite Micro's layer of integers lacks; needs a layer as Keras "
          "has it");
  refused([](Layer& l) { l.inputs[16] = 16; }, "has a projection (input 16)");
  refused([](Layer& l) { l.inputs[1] = l.inputs[5] = -1; }, "lacks an input gate of its own (input 1)");
  refused([](Layer& l) { l.activation = Activation::RELU; },
          "has the activation RELU on integers, needs TANH");
  refused([](Layer& l) { l.tensors[0].type = TensorType::UINT8; }, "has data of uint8");
  refused([](Layer& l) { l.tensors[19].scale = 0.003F; },
          "has a cell state (input 19) of scale 0.003000000026077032, needs a power of two");
  refused([](Layer& l) { l.tensors[19].type = TensorType::INT8; },
          "has a state (input 19) of int8 1x1, needs int16");
  refused([](Layer& l) { l.tensors[12] = stored<std::int64_t>(TensorType::INT64, {1}, {0}, 1); },
          "has a bias (input 12) of int64, needs constants of int32");
  refused([](Layer& l) { l.tensors[7].zero_point = 1; }, "has weights (input 7) of zero point 1, needs 0");
  refused([](Layer& l) { l.tensors[2] = constant({1, 1}, 1); },
          "has weights (input 2) of float32, needs int8 with a scale");
  refused([](Layer& l) { l.tensors[12] = stored<std::int32_t>(TensorType::INT32, {1}, {INT32_MAX}, 1); },
          "has sums of up to 2147493887, and int32");
}

/// A filter over two steps, 1 for the step before and 10 for the last one, and a bias of 2.
graph::Graph filter(TensorType type, int rank = 1) {
  const bool floats = type == TensorType::FLOAT32;
  const auto weights = [&](const Ints& shape, const std::vector<std::int8_t>& values) {
    if (!floats) return stored(TensorType::INT8, shape, values, 1);
    return stored(type, shape, Floats(values.begin(), values.end()));
  };
  const float scale = floats ? 0 : 1;
  File file;
  const auto options = tflite::CreateSvdfOptions(file.builder(), rank, Activation::NONE);
  return file.import(
      27, BuiltinOptions::SvdfOptions, options,
      {{{1, 1}, type, {}, scale},
       weights({1, 1}, {1}),
       weights({1, 2}, {1, 10}),
       floats ? stored<float>(type, {1}, {2}, 0) : stored<std::int32_t>(TensorType::INT32, {1}, {2}, 1),
       kept({1, 2}, type, scale, floats ? 0 : 3),
       {{1, 1}, type, {}, scale}},
      {0, 1, 2, 3, 4});
}

template <class T>
std::vector<T> filtered(const graph::Graph& g) {
  pipeline::Reference reference(g);
  std::vector<T> result;
  for (const int x : {3, 5, -4}) result.push_back(run_layer<T>(reference, {static_cast<T>(x)})[0]);
  return result;
}

TEST(Svdf, RemembersTheStepBefore) {
  EXPECT_EQ(filtered<float>(filter(TensorType::FLOAT32)), (Floats{32, 55, -33}));
  EXPECT_EQ(filtered<std::int8_t>(filter(TensorType::INT8)), (std::vector<std::int8_t>{32, 55, -33}));
}

TEST(Svdf, RefusalsNameTheInput) {
  EXPECT_THAT([] { filter(TensorType::FLOAT32, 2); },
              ThrowsMessage<UserError>(HasSubstr("has 1 filters of rank 2 over 2 steps, needs a multiple")));
  EXPECT_THAT([] { filter(TensorType::INT16); },
              ThrowsMessage<UserError>(HasSubstr("has input 0 of INT16 with a scale")));
}

// relu(2 x + h / 2 + 1).
TEST(Rnn, AddsWhatItKept) {
  File file;
  const auto options = tflite::CreateSequenceRnnOptions(file.builder(), false, Activation::RELU);
  pipeline::Reference reference(file.import(35, BuiltinOptions::SequenceRnnOptions, options,
                                            {{{1, kSteps, 1}, TensorType::FLOAT32, {}, 0},
                                             constant({1, 1}, 2),
                                             constant({1, 1}, 0.5F),
                                             constant({1}, 1),
                                             kept({1, 1}, TensorType::FLOAT32, 0),
                                             {{1, kSteps, 1}, TensorType::FLOAT32, {}, 0}},
                                            {0, 1, 2, 3, 4}));
  EXPECT_EQ(run_layer(reference, Floats{1, -2, 3}), (Floats{3, 0, 7}));
  EXPECT_EQ(run_layer(reference, Floats{1, 1, 1}), (Floats{6.5F, 6.25F, 6.125F}));
}

}  // namespace
}  // namespace vdla::import
