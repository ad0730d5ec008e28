// SPDX-License-Identifier: Apache-2.0
// Operators that none of the test networks has, as files of one operator that are built here.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

#include "compiler/graph/verify_quantization.h"
#include "compiler/import/import.h"
#include "compiler/pipeline/reference.h"
#include "support/error.h"
#include "support/fixed_point.h"
#include "tests/compiler/import/tflite/file.h"

namespace vdla::import {
namespace {

using tflite::File;
using tflite::FileTensor;
using tflite::Ints;

using Int8s = std::vector<std::int8_t>;

Int8s run(const graph::Graph& g, const std::vector<Int8s>& inputs) {
  std::vector<graph::Bytes> bytes;
  for (const Int8s& x : inputs) bytes.push_back(*graph::to_bytes(x));
  const graph::Bytes out = pipeline::Reference(g).run(bytes).at(0);
  Int8s result(out.size());
  std::memcpy(result.data(), out.data(), out.size());
  return result;
}

struct Transposed {
  int kernel, stride, out, pad;
  tflite::Padding padding;
};

class TransposeConv : public ::testing::TestWithParam<Transposed> {};

TEST_P(TransposeConv, AddsTheWeightsAtEachPixel) {
  const auto [kernel, stride, out, pad, padding] = GetParam();
  constexpr int kIn = 3;
  std::mt19937 random(1);
  std::vector<std::uint8_t> weights(static_cast<std::size_t>(kernel * kernel));
  for (auto& w : weights) w = static_cast<std::uint8_t>(random() % 3);
  Int8s x(kIn * kIn);
  for (auto& v : x) v = static_cast<std::int8_t>(random() % 5);
  File file;
  const auto options = tflite::CreateTransposeConvOptions(file.builder(), padding, stride, stride);
  const graph::Graph g = file.import(67, tflite::BuiltinOptions::TransposeConvOptions, options,
                                     {{{4}, tflite::TensorType::INT32, std::vector<std::uint8_t>(16)},
                                      {{1, kernel, kernel, 1}, tflite::TensorType::INT8, weights},
                                      {{1, kIn, kIn, 1}, tflite::TensorType::INT8, {}, 1, 2},
                                      {{1, out, out, 1}}},
                                     {0, 1, 2});
  std::vector<int> expected(static_cast<std::size_t>(out * out));
  for (int y = 0; y < kIn; ++y)
    for (int ix = 0; ix < kIn; ++ix)
      for (int ky = 0; ky < kernel; ++ky)
        for (int kx = 0; kx < kernel; ++kx) {
          const int oy = y * stride + ky - pad, ox = ix * stride + kx - pad;
          if (oy < 0 || oy >= out || ox < 0 || ox >= out) continue;
          expected[static_cast<std::size_t>(oy * out + ox)] +=
              (x[static_cast<std::size_t>(y * kIn + ix)] - 2) *
              weights[static_cast<std::size_t>(ky * kernel + kx)];
        }
  EXPECT_THAT(run(g, {x}), ::testing::ElementsAreArray(expected));
}

INSTANTIATE_TEST_SUITE_P(Paddings, TransposeConv,
                         ::testing::Values(Transposed{2, 2, 6, 0, tflite::Padding::VALID},
                                           Transposed{3, 1, 5, 0, tflite::Padding::VALID},
                                           Transposed{4, 2, 6, 1, tflite::Padding::SAME},
                                           Transposed{3, 1, 3, 1, tflite::Padding::SAME}),
                         [](const auto& info) {
                           const Transposed& t = info.param;
                           return "kernel" + std::to_string(t.kernel) + "stride" + std::to_string(t.stride) +
                                  (t.padding == tflite::Padding::SAME ? "same" : "valid");
                         });

TEST(BatchMatMul, MultipliesWithZeroPointsAndTransposes) {
  File file;
  const auto options = tflite::CreateBatchMatMulOptions(file.builder(), false, true);
  const graph::Graph g = file.import(126, tflite::BuiltinOptions::BatchMatMulOptions, options,
                                     {{{2, 2, 3}, tflite::TensorType::INT8, {}, 0.5f, 1},
                                      {{1, 2, 3}, tflite::TensorType::INT8, {}, 0.5f, -1},
                                      {{2, 2, 2}, tflite::TensorType::INT8, {}, 0.25f, 3}},
                                     {0, 1});
  // (a - 1) times (b + 1) turned, plus 3.
  EXPECT_THAT(run(g, {{2, 3, 4, 1, 1, 1, 0, 2, 1, 5, 1, 0}, {0, 1, 2, 3, -1, 4}}),
              ::testing::ElementsAre(17, 22, 3, 3, 4, -1, 4, 14));
}

/// Extents of 0 once divided the number of weights.
TEST(TfliteText, ADepthwiseConvolutionWithoutChannelsIsRefused) {
  File file;
  const auto options = tflite::CreateDepthwiseConv2DOptions(file.builder(), tflite::Padding::VALID, 1, 1, 0);
  EXPECT_THAT(
      [&] {
        file.import(4, tflite::BuiltinOptions::DepthwiseConv2DOptions, options,
                    {{{1, 4, 4, 0}}, {.shape = {1, 3, 3, 0}}, {{1, 2, 2, 0}}}, {0, 1});
      },
      ::testing::ThrowsMessage<UserError>(::testing::HasSubstr("has shape 1x4x4x0, needs positive extents")));
}

/// Its tensor was read before anything asked whether there is one.
TEST(TfliteText, AnActivationWithoutInputIsRefused) {
  const std::pair<Ints, std::string> cases[] = {{{}, "has 0 inputs, needs 1"}, {{-1}, "lacks input 0"}};
  for (const auto& [inputs, words] : cases) {
    File file;
    const flatbuffers::Offset<tflite::ReshapeOptions> none;
    EXPECT_THAT([&] { file.import(19, tflite::BuiltinOptions::NONE, none, {{{1, 2}}, {{1, 2}}}, inputs); },
                ::testing::ThrowsMessage<UserError>(::testing::HasSubstr("RELU at node 'relu_0' " + words)));
  }
}

/// Those of 64 bits were cut to 32, and then passed them for uint8.
TEST(TfliteText, AZeroPointOutsideOfItsTypeIsRefused) {
  using enum tflite::TensorType;
  const std::pair<tflite::TensorType, std::int64_t> refused[] = {
      {INT8, 128}, {INT8, (std::int64_t{1} << 32) + 5}, {UINT8, -1}, {UINT8, 256}, {UINT8, INT32_MIN}};
  for (const auto& [type, zero] : refused) {
    File file;
    const flatbuffers::Offset<tflite::ReshapeOptions> none;
    const FileTensor tensor{.shape = {1, 2}, .type = type, .zero_point = zero};
    EXPECT_THAT([&] { file.import(19, tflite::BuiltinOptions::NONE, none, {tensor, tensor}, {0}); },
                ::testing::ThrowsMessage<UserError>(::testing::HasSubstr(
                    "has zero point " + std::to_string(zero) + ", needs one within its type")));
  }
}

/// Each time counted in the mean, and many of them once passed 64 bits.
TEST(TfliteText, AnAxisThatAMeanNamesTwiceCountsOnce) {
  for (const int times : {1, 2, 60}) {
    File file;
    const auto options = tflite::CreateReducerOptions(file.builder(), true);
    std::vector<std::uint8_t> axes;
    for (int i = 0; i < times; ++i) axes.insert(axes.end(), {1, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff});  // 1, -2
    const graph::Graph g =
        file.import(40, tflite::BuiltinOptions::ReducerOptions, options,
                    {{{1, 4, 2}}, {{2 * times}, tflite::TensorType::INT32, axes}, {{1, 1, 2}}}, {0, 1});
    EXPECT_THAT(run(g, {{10, 1, 20, 2, 30, 3, 40, 6}}), ::testing::ElementsAre(25, 3)) << times;
  }
}

TEST(TfliteSizes, AConcatenationOfManyInputsIsJoinedInSteps) {
  File file;
  std::vector<FileTensor> tensors(300, FileTensor{{1, 2}});
  tensors.push_back({{300, 2}});
  Ints inputs(300);
  std::iota(inputs.begin(), inputs.end(), 0);
  const auto options = tflite::CreateConcatenationOptions(file.builder(), 0);
  const graph::Graph g =
      file.import(2, tflite::BuiltinOptions::ConcatenationOptions, options, tensors, inputs);
  EXPECT_EQ(g.nodes.size(), 6u);
  EXPECT_EQ(g.outputs.at(0).model_shape, (graph::Shape{300, 2}));
}

/// Runs a dense layer of two outputs over an input of this shape, its output stated as that.
graph::Graph dense(const Ints& shape, bool keep, const Ints& stated) {
  File file;
  const auto options = tflite::CreateFullyConnectedOptions(file.builder(), tflite::Activation::NONE, 0, keep);
  return file.import(9, tflite::BuiltinOptions::FullyConnectedOptions, options,
                     {{shape}, {{2, 3}, tflite::TensorType::INT8, {1, 0, 0, 0, 1, 1}}, {stated}}, {0, 1});
}

// The result was always a matrix of rows.
TEST(FullyConnected, KeepsTheDimensionsThatTheFileKeeps) {
  for (const Ints& stated : {Ints{1, 4, 2}, Ints{1, 1, 2, 2, 2}, Ints{4, 2}}) {
    Ints shape = stated;
    shape.back() = 3;
    const graph::Graph g = dense(shape, true, stated);
    EXPECT_EQ(g.outputs.at(0).model_shape, graph::Shape(stated.begin(), stated.end()));
    EXPECT_EQ(g.tensor(g.outputs.at(0).tensor).name, "t");
    EXPECT_THAT(run(g, {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}),
                ::testing::ElementsAre(1, 5, 4, 11, 7, 17, 10, 23));
  }
  EXPECT_EQ(dense({1, 4, 3}, false, {4, 2}).outputs.at(0).model_shape, (graph::Shape{4, 2}));
}

// A tensor without a shape was a scalar.
TEST(FullyConnected, ReadsATensorWhoseShapeTheFileDoesNotState) {
  File file;
  const auto options = tflite::CreateFullyConnectedOptions(file.builder());
  FileTensor between;
  between.shapeless = between.inner = true;
  file.before.push_back({9, tflite::BuiltinOptions::FullyConnectedOptions, options.Union(), {0, 1}, {2}});
  const graph::Graph g = file.import(9, tflite::BuiltinOptions::FullyConnectedOptions, options,
                                     {{{4, 3}},
                                      {{2, 3}, tflite::TensorType::INT8, {1, 0, 0, 0, 1, 1}},
                                      between,
                                      {{1, 2}, tflite::TensorType::INT8, {2, 1}},
                                      {{4, 1}}},
                                     {2, 3});
  EXPECT_THAT(run(g, {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}), ::testing::ElementsAre(7, 19, 31, 43));
}

// Only the number of elements was compared.
TEST(TfliteText, AnOutputOfAnotherShapeThanStatedIsRefused) {
  const auto refused = [](const Ints& shape, bool keep, const Ints& stated, const std::string& words) {
    EXPECT_THAT([&] { dense(shape, keep, stated); },
                ::testing::ThrowsMessage<UserError>(::testing::HasSubstr(words)));
  };
  const std::string where = "FULLY_CONNECTED at node 'fully_connected_0' ";
  refused({1, 4, 3}, false, {1, 4, 2},
          where + "makes int8 4x2 of its inputs, the file states int8 1x4x2 for its output 't'");
  refused({1, 4, 3}, true, {4, 2}, where + "makes int8 1x4x2 of its inputs, the file states int8 4x2");
  refused({4, 3}, true, {2, 4}, where + "makes int8 4x2");
  refused({1, 12}, true, {4, 2},
          where + "keeps the dimensions of its input 1x12, whose last one needs 3 elements");
}

TEST(TfliteText, AnOutputOfAnotherTypeThanStatedIsRefused) {
  using enum tflite::TensorType;
  const flatbuffers::Offset<tflite::ReshapeOptions> none;
  File file;
  EXPECT_THAT(
      [&] { file.import(22, tflite::BuiltinOptions::NONE, none, {{{1, 2}, UINT8}, {{2}, INT8}}, {0}); },
      ::testing::ThrowsMessage<UserError>(
          ::testing::HasSubstr("moves elements of UINT8 to an output of INT8, needs one type")));
  File sums;
  const auto options = tflite::CreateAddOptions(sums.builder(), tflite::Activation::NONE);
  EXPECT_THAT(
      [&] {
        sums.import(56, tflite::BuiltinOptions::AddOptions, options,
                    {{{1, 2}}, {{1}, INT32, {1, 0, 0, 0}}, {{1}, INT8}}, {0, 1});
      },
      ::testing::ThrowsMessage<UserError>(
          ::testing::HasSubstr("makes int32 1 of its inputs, the file states int8 1")));
}

// The integers of each value: 50 of 768 were off by one.
TEST(Concatenation, OfUint8GoesThroughFloat32) {
  constexpr float kIn[] = {0.0235F, 0.011F, 0.0375F}, kOut = 0.0241F;
  constexpr int kZero[] = {128, 3, 77}, kOutZero = 119;
  File file;
  std::vector<FileTensor> tensors;
  for (int i = 0; i < 3; ++i) tensors.push_back({{1, 256}, tflite::TensorType::UINT8, {}, kIn[i], kZero[i]});
  tensors.push_back({{3, 256}, tflite::TensorType::UINT8, {}, kOut, kOutZero});
  const auto options = tflite::CreateConcatenationOptions(file.builder(), 0);
  const graph::Graph g =
      file.import(2, tflite::BuiltinOptions::ConcatenationOptions, options, tensors, {0, 1, 2});
  Int8s x(256);
  std::iota(x.begin(), x.end(), std::int8_t{-128});
  std::vector<int> expected;
  for (int i = 0; i < 3; ++i) {
    const float scale = kIn[i] * (1.0F / kOut);
    const float bias = static_cast<float>(-kZero[i]) * scale;
    for (int q = 0; q < 256; ++q) {
      const float product = static_cast<float>(q) * scale;
      expected.push_back(std::clamp(static_cast<int>(std::round(product + bias)) + kOutZero, 0, 255) - 128);
    }
  }
  EXPECT_THAT(run(g, {x, x, x}), ::testing::ElementsAreArray(expected));
}

// The pad held the input's zero point, and what follows took the integers for the output's.
TEST(TfliteScales, AnOutputThatOnlyMovesElementsMayStandForOtherNumbers) {
  File file;
  const flatbuffers::Offset<tflite::ReshapeOptions> none;
  const graph::Graph g = file.import(34, tflite::BuiltinOptions::NONE, none,
                                     {{{2}, tflite::TensorType::INT8, {}, 0.5F, 3},
                                      {{1, 2}, tflite::TensorType::INT32, {1, 0, 0, 0, 0, 0, 0, 0}},
                                      {{3}, tflite::TensorType::INT8, {}, 0.25F, -7}},
                                     {0, 1});
  EXPECT_THAT(run(g, {{1, 2}}), ::testing::ElementsAre(-7, 1, 2));
  EXPECT_EQ(g.tensor(g.outputs.at(0).tensor).quantization.zero_point.at(0), -7);
  EXPECT_EQ(graph::quantization_fault(g).value_or(""), "");
}

/// Weights of five outputs of seven inputs in a file of this type.
graph::Graph dense(tflite::TensorType type, const std::vector<std::uint8_t>& data) {
  File file;
  FileTensor weights{{5, 7}, type, data};
  weights.scales = {0.5F, 0.25F, 0.125F, 0.0625F, 0.03125F};
  return file.import(9, tflite::BuiltinOptions::FullyConnectedOptions,
                     tflite::CreateFullyConnectedOptions(file.builder()),
                     {{{1, 7}}, weights, {{1, 5}, tflite::TensorType::INT8, {}, 2}}, {0, 1});
}

TEST(TfliteInt4, WeightsLieTwoInAByte) {
  std::mt19937 random(3);
  std::vector<std::uint8_t> bytes, halves;
  for (int i = 0; i < 35; ++i) {
    const unsigned half = random() % 16;
    bytes.push_back(static_cast<std::uint8_t>(half < 8 ? half : half + 240));
    if (i % 2 == 0)
      halves.push_back(static_cast<std::uint8_t>(half));
    else
      halves.back() |= static_cast<std::uint8_t>(half << 4);
  }
  const graph::Graph g = dense(tflite::TensorType::INT4, halves);
  const Int8s x{1, -2, 3, -4, 5, -6, 127};
  EXPECT_EQ(run(g, {x}), run(dense(tflite::TensorType::INT8, bytes), {x}));
  halves.pop_back();
  EXPECT_THAT([&] { dense(tflite::TensorType::INT4, halves); },
              ::testing::ThrowsMessage<UserError>(
                  ::testing::HasSubstr("has 17 bytes of data, its shape needs 18 (corrupt)")));
}

// Such files were called corrupt, or their type was not named.
TEST(TfliteText, WhatIsNotReadIsNamed) {
  using enum tflite::TensorType;
  const FileTensor x{{1, 3}}, y{{1, 2}};
  const std::pair<FileTensor, std::string> cases[] = {
      {{.shape = {2, 3}, .type = UINT4, .data = {1, 2, 3}},
       "tensor 't' is UINT4 with a scale, which this kit does not read"},
      {{.shape = {2, 3}, .type = INT4, .data = {1, 2, 3}, .scale = 0},
       "tensor 't' is INT4 without quantisation, needs integers"},
      {{.shape = {2, 3}, .type = INT4, .data = {1, 2, 3}, .zero_point = 8},
       "tensor 't' has zero point 8, needs one within its type"},
      {{.shape = {2, 3}, .type = static_cast<tflite::TensorType>(99), .data = {1}},
       "tensor 't' is of type 99 with a scale, which"},
      {{.shape = {2, 3}, .type = FLOAT16, .data = std::vector<std::uint8_t>(12)},
       "tensor 't' is FLOAT16 without quantisation, needs integers with scale and zero point"},
      {{.shape = {2, 3}, .offset = 4096},
       "has its data behind the model's tables (64 bytes from byte 4096 on)"},
      {{.shape = {2, 3}, .external = 5}, "has its data in another file (external buffer 5)"},
      {{.shape = {2, 3}, .data = std::vector<std::uint8_t>(6), .details = 2},
       "has quantisation of another kind (blockwise or custom, kind 2)"},
      {{.shape = {2, 3}, .data = std::vector<std::uint8_t>(6), .scale = 0}, "is INT8 without quantisation"},
      {{.shape = {2, 3}, .type = FLOAT32, .data = std::vector<std::uint8_t>(24)},
       "tensor 't' is FLOAT32 without quantisation, needs integers"},
  };
  for (const auto& [weights, words] : cases) {
    File file;
    const auto options = tflite::CreateFullyConnectedOptions(file.builder());
    EXPECT_THAT(
        [&] {
          file.import(9, tflite::BuiltinOptions::FullyConnectedOptions, options, {x, weights, y}, {0, 1});
        },
        ::testing::ThrowsMessage<UserError>(
            ::testing::AllOf(::testing::HasSubstr(words), ::testing::Not(::testing::HasSubstr("corrupt")))));
  }
}

// A custom operator was taken for the one of TFLite whose name it has.
TEST(TfliteText, ACustomOperatorIsNotTheOneOfItsName) {
  File file;
  const auto none = flatbuffers::Offset<void>();
  file.custom = "RELU";
  EXPECT_THAT([&] { file.import(32, tflite::BuiltinOptions::NONE, none, {{{1, 2}}, {{1, 2}}}, {0}); },
              ::testing::ThrowsMessage<UserError>(
                  ::testing::HasSubstr("RELU at node 'relu_0' is not known to this kit")));
}

// Such a layer was refused for the sum of its dead channel, whose bias fills int32.
TEST(TfliteText, AChannelWhoseMultiplierIsZeroGivesItsZeroPoint) {
  File file;
  const std::vector<std::int32_t> bias{INT32_MAX};
  std::vector<std::uint8_t> bytes(4);
  std::memcpy(bytes.data(), bias.data(), 4);
  const auto options = tflite::CreateFullyConnectedOptions(file.builder());
  const graph::Graph g = file.import(9, tflite::BuiltinOptions::FullyConnectedOptions, options,
                                     {{{1, 3}},
                                      {{1, 3}, tflite::TensorType::INT8, {1, 2, 3}, 1e-20F},
                                      {{1}, tflite::TensorType::INT32, bytes, 1e-20F},
                                      {{1, 1}, tflite::TensorType::INT8, {}, 1, 7}},
                                     {0, 1, 2});
  EXPECT_THAT(run(g, {{5, 6, 7}}), ::testing::ElementsAre(7));
}

/// LOG_SOFTMAX of three elements of scale 1, whose output has this scale and zero point.
graph::Graph import_log_softmax(float scale, std::int64_t zero_point) {
  File file;
  return file.import(50, tflite::BuiltinOptions::NONE, flatbuffers::Offset<void>(),
                     {{{1, 3}, tflite::TensorType::INT8, {}, 1, 5},
                      {{1, 3}, tflite::TensorType::INT8, {}, scale, zero_point}},
                     {0});
}

// Logarithms for 0, 1 and 2 are -2.4076, -1.4076 and -0.4076, in steps of 1/16 below 127; smaller ones are
// the least integer.
TEST(LogSoftmax, HasTheStepsOfTheFormat) {
  const graph::Graph g = import_log_softmax(1.0F / 16, 127);
  EXPECT_THAT(run(g, {{5, 6, 7}}), ::testing::ElementsAre(88, 104, 120));
  EXPECT_THAT(run(g, {{-128, 127, 127}}), ::testing::ElementsAre(-128, 116, 116));
}

TEST(LogSoftmax, AnotherScaleIsRefused) {
  EXPECT_THAT([] { import_log_softmax(0.5F, 127); },
              ::testing::ThrowsMessage<UserError>(::testing::HasSubstr(
                  "has an output of scale 0.5 and zero point 127 (as int8), needs 1/16 and 127")));
  EXPECT_THAT([] { import_log_softmax(1.0F / 16, 0); },
              ::testing::ThrowsMessage<UserError>(::testing::HasSubstr("zero point 0")));
}

// Compares every pair of values. The second scales give no sum: a tie of an element shows in a result.
TEST(Sub, SubtractsBehindTheMultiplier) {
  constexpr std::int32_t kA = -7, kB = 12, kOut = 30;
  constexpr int kLeft = 20;
  Int8s all;
  for (int x = -128; x < 128; ++x) all.push_back(static_cast<std::int8_t>(x));
  struct Scales {
    float a, b;
    bool is_sum;
  };
  for (const auto& [a_scale, b_scale, is_sum] :
       {Scales{1.f, 0.5f, true}, {0.9f, 0.37f, false}, {0.9f, 1.7f, true}, {1.f, 0.5f + 0x1p-23f, true}}) {
    File file;
    const auto options = tflite::CreateActivationOptions(file.builder());
    const graph::Graph g = file.import(41, tflite::BuiltinOptions::SubOptions, options,
                                       {{{256, 1}, tflite::TensorType::INT8, {}, a_scale, kA},
                                        {{1, 256}, tflite::TensorType::INT8, {}, b_scale, kB},
                                        {{256, 256}, tflite::TensorType::INT8, {}, 1.3f, kOut}},
                                       {0, 1});
    EXPECT_EQ(graph::quantization_fault(g), std::nullopt);
    EXPECT_EQ(std::holds_alternative<graph::Add>(g.nodes.back().op), is_sum) << b_scale;
    const float both = 2 * std::max(a_scale, b_scale);
    const auto multiplied = [](std::int32_t x, double by) {
      const QuantizedMultiplier m = quantize_multiplier(by);
      return multiply_by_quantized_multiplier(x, m.multiplier, m.shift);
    };
    Int8s expected;
    for (const std::int8_t a : all)
      for (const std::int8_t b : all) {
        const std::int32_t difference = multiplied((a - kA) * (1 << kLeft), a_scale / both) -
                                        multiplied((b - kB) * (1 << kLeft), b_scale / both);
        const std::int32_t step = multiplied(difference, both / std::ldexp(1.3f, kLeft)) + kOut;
        expected.push_back(static_cast<std::int8_t>(std::clamp(step, -128, 127)));
      }
    EXPECT_EQ(run(g, {all, all}), expected) << b_scale;
  }
}

// Every value, for slopes below 1, beyond it, below zero and mixed ones.
TEST(Prelu, OfConstantSlopesIsTheSideThatIsLargerOrSmallerOrTheSumOfBoth) {
  constexpr std::int32_t kX = -20, kSlope = 3, kOut = 11;
  constexpr float kScale = 0.7F, kSlopeScale = 0.01F, kOutScale = 0.9F;
  Int8s x;
  for (int v = -128; v < 128; ++v) x.insert(x.end(), 3, static_cast<std::int8_t>(v));
  const auto multiplied = [](std::int32_t value, double by) {
    const QuantizedMultiplier m = quantize_multiplier(by);
    return multiply_by_quantized_multiplier(value, m.multiplier, m.shift);
  };
  for (const auto& [slopes, name] :
       {std::pair{Int8s{3, 50, 90}, "maximum"}, std::pair{Int8s{-90, -2, 20}, "maximum"},
        std::pair{Int8s{113, 120, 127}, "minimum"}, std::pair{Int8s{20, 60, 125}, "add"},
        std::pair{Int8s{-90, 60, 125}, "add"}}) {
    File file;
    std::vector<std::uint8_t> data;
    for (const std::int8_t slope : slopes) data.push_back(static_cast<std::uint8_t>(slope));
    const graph::Graph g = file.import(54, tflite::BuiltinOptions::NONE, flatbuffers::Offset<void>(),
                                       {{{1, 256, 3}, tflite::TensorType::INT8, {}, kScale, kX},
                                        {{1, 1, 3}, tflite::TensorType::INT8, data, kSlopeScale, kSlope},
                                        {{1, 256, 3}, tflite::TensorType::INT8, {}, kOutScale, kOut}},
                                       {0, 1});
    EXPECT_EQ(graph::quantization_fault(g), std::nullopt);
    EXPECT_EQ(graph::name_of(g.nodes.back().op), name);
    const double same = double{kScale} / double{kOutScale};
    const double sloped = double{kScale} * double{kSlopeScale} / double{kOutScale};
    Int8s expected;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::int32_t steps = x[i] - kX, slope = slopes[i % 3] - kSlope;
      const std::int32_t step = steps >= 0 ? multiplied(steps, same) : multiplied(steps * slope, sloped);
      expected.push_back(static_cast<std::int8_t>(std::clamp(step + kOut, -128, 127)));
    }
    EXPECT_EQ(run(g, {x}), expected) << name;
  }
}

}  // namespace
}  // namespace vdla::import
