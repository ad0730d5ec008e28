// SPDX-License-Identifier: Apache-2.0
// Layers of float data and integer weights, by numbers that a reader can follow.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>

#include "compiler/pipeline/reference.h"
#include "support/error.h"
#include "tests/compiler/import/tflite/file.h"

namespace vdla::import {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using tflite::BuiltinOptions;
using tflite::File;
using tflite::FileTensor;
using tflite::stored_reals;
using tflite::TensorType;

using Floats = std::vector<float>;

constexpr int kFullyConnected = 9, kConv2d = 3;

FileTensor steps(const tflite::Ints& shape, const std::vector<std::int8_t>& values, float scale) {
  return {shape, TensorType::INT8, {values.begin(), values.end()}, scale};
}

Floats sums_of(const graph::Graph& g, const Floats& x) {
  const graph::Bytes out = pipeline::Reference(g).run({*graph::to_bytes(x)}).at(0);
  Floats result(out.size() / 4);
  std::memcpy(result.data(), out.data(), out.size());
  return result;
}

/// Two numbers times weights of 100 and -50 steps of 0.01, plus 0.5.
graph::Graph dense(bool asymmetric, const FileTensor& weights) {
  File file;
  return file.import(
      kFullyConnected, BuiltinOptions::FullyConnectedOptions,
      tflite::CreateFullyConnectedOptions(file.builder(), tflite::Activation::NONE, 0, false, asymmetric),
      {stored_reals({1, 2}), weights, stored_reals({1}, {0.5F}), stored_reals({1, 1})}, {0, 1, 2});
}

// 1 and -2 in steps of 2/127 are 64 and -127: 100 * 64 + 50 * 127 = 12750 steps of 0.01 * 2/127.
TEST(TfliteHybrid, DataHaveTheStepsOfTheirLargestMagnitude) {
  const graph::Graph g = dense(false, steps({1, 2}, {100, -50}, 0.01F));
  EXPECT_THAT(sums_of(g, {1, -2}), ElementsAre(FloatNear(0.5F + 12750 * 0.01F * 2 / 127, 1e-5F)));
  EXPECT_THAT(sums_of(g, {0, 0}), ElementsAre(0.5F));
}

// Steps of 3/255 from the zero point on make 85 and -170 of 1 and -2: 100 * 85 + 50 * 170 = 17000.
TEST(TfliteHybrid, AsymmetricDataHaveAZeroPoint) {
  const graph::Graph g = dense(true, steps({1, 2}, {100, -50}, 0.01F));
  EXPECT_THAT(sums_of(g, {1, -2}), ElementsAre(FloatNear(0.5F + 17000 * 0.01F * 3 / 255, 1e-5F)));
  EXPECT_THAT(sums_of(g, {0, 0}), ElementsAre(0.5F));
}

// One pixel, two outputs of scales 0.01 and 0.1: data with a zero point.
TEST(TfliteHybrid, ConvolutionsHaveAScaleForEachOutput) {
  File file;
  FileTensor weights = steps({2, 1, 1, 2}, {100, -50, 1, 2}, 1);
  weights.scales = {0.01F, 0.1F};
  const graph::Graph g = file.import(
      kConv2d, BuiltinOptions::Conv2DOptions,
      tflite::CreateConv2DOptions(file.builder(), tflite::Padding::VALID, 1, 1, tflite::Activation::NONE, 1,
                                  1),
      {stored_reals({1, 1, 1, 2}), weights, stored_reals({2}, {0, 0}), stored_reals({1, 1, 1, 2})},
      {0, 1, 2});
  EXPECT_THAT(sums_of(g, {1, -2}), ElementsAre(FloatNear(17000 * 0.01F * 3 / 255, 1e-5F),
                                               FloatNear(-255 * 0.1F * 3 / 255, 1e-5F)));
}

/// Eight numbers times two outputs of weights in blocks of four, plus a bias.
graph::Graph in_blocks(FileTensor weights, const FileTensor& scales, tflite::Activation activation) {
  File file;
  weights.block_scales = 3;
  weights.block = 4;
  return file.import(
      kFullyConnected, BuiltinOptions::FullyConnectedOptions,
      tflite::CreateFullyConnectedOptions(file.builder(), activation),
      {stored_reals({2, 8}), weights, stored_reals({2}, {0.5F, -0.5F}), scales, stored_reals({2, 2})},
      {0, 1, 2});
}

// Data of one range, 0 to 255 and -255 to 0, are their own steps.
TEST(TfliteHybrid, EachBlockOfWeightsHasAScale) {
  const std::vector<std::int8_t> w = {1, -2, 3, -8, 7, 0, -1, 2, -3, 4, 5, -6, 0, 1, -7, 6};
  const Floats scales = {0.5F, 0.25F, 2, 0.125F},
               x = {255, 0, 3, 20, 100, 7, 9, 51, 0, 0, 0, -255, -1, -2, -100, -3};
  FileTensor packed{{2, 8}, TensorType::INT4, {}};
  for (std::size_t i = 0; i < w.size(); i += 2)
    packed.data.push_back(static_cast<std::uint8_t>((w[i] & 15) | (w[i + 1] & 15) << 4));
  FileTensor halves = stored_reals({2, 2});
  halves.type = TensorType::FLOAT16;
  halves.data = {0x00, 0x38, 0x00, 0x34, 0x00, 0x40, 0x00, 0x30};
  const FileTensor bytes{{2, 8}, TensorType::INT8, {w.begin(), w.end()}};
  Floats want;
  for (std::size_t n = 0; n < 2; ++n)
    for (std::size_t o = 0; o < 2; ++o) {
      float y = o == 0 ? 0.5F : -0.5F;
      for (std::size_t k = 0; k < 8; ++k) y += x[n * 8 + k] * scales[o * 2 + k / 4] * w[o * 8 + k];
      want.push_back(y);
    }
  using ::testing::FloatEq;
  using ::testing::Pointwise;
  EXPECT_THAT(sums_of(in_blocks(packed, halves, tflite::Activation::NONE), x), Pointwise(FloatEq(), want));
  EXPECT_THAT(sums_of(in_blocks(bytes, stored_reals({2, 2}, scales), tflite::Activation::NONE), x),
              Pointwise(FloatEq(), want));
  for (float& y : want) y = std::max(y, 0.0F);
  EXPECT_THAT(sums_of(in_blocks(packed, halves, tflite::Activation::RELU), x), Pointwise(FloatEq(), want));
  EXPECT_THAT([&] { in_blocks(packed, stored_reals({3}, {1, 2, 3}), tflite::Activation::NONE); },
              ThrowsMessage<UserError>(HasSubstr("has 3 scales, needs 2x2")));
  packed.block_zeros = 3;
  EXPECT_THAT([&] { in_blocks(packed, halves, tflite::Activation::NONE); },
              ThrowsMessage<UserError>(HasSubstr("has zero points by block, needs 0")));
}

TEST(TfliteHybrid, RefusalsNameWhatIsNeeded) {
  FileTensor two = steps({1, 2}, {100, -50}, 1);
  two.scales = {0.01F, 0.1F};
  two.axis = 1;
  EXPECT_THAT([&] { dense(false, two); },
              ThrowsMessage<UserError>(HasSubstr("has 2 scales for 1 outputs, needs one, or one for each")));
  FileTensor computed = steps({1, 2}, {}, 0.01F);
  EXPECT_THAT([&] { dense(false, computed); },
              ThrowsMessage<UserError>(HasSubstr("has weights with a scale that the model computes")));
  FileTensor many = steps({1, 40000}, std::vector<std::int8_t>(40000), 0.01F);
  File file;
  EXPECT_THAT(
      [&] {
        file.import(kFullyConnected, BuiltinOptions::FullyConnectedOptions,
                    tflite::CreateFullyConnectedOptions(file.builder(), tflite::Activation::NONE, 0, false),
                    {stored_reals({1, 40000}), many, stored_reals({1, 1})}, {0, 1, -1});
      },
      ThrowsMessage<UserError>(HasSubstr("sums 40000 products of integers, needs 33025 at most")));
}

}  // namespace
}  // namespace vdla::import
