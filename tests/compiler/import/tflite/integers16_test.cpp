// SPDX-License-Identifier: Apache-2.0
// Layers of 16-bit integers, by numbers that a reader can follow; what the reference would wrap is refused.
#include <gmock/gmock.h>

#include <cstring>

#include "compiler/pipeline/reference.h"
#include "support/error.h"
#include "tests/compiler/import/tflite/file.h"

namespace vdla::import {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using tflite::BuiltinOptions;
using tflite::File;
using tflite::FileTensor;
using tflite::stored;
using tflite::TensorType;

constexpr int kDense16 = 9, kExp = 47, kHardSwish = 117, kLog = 73, kMul = 18, kQuantize = 114, kRelu = 19,
              kRsqrt = 76, kSqrt = 75;

FileTensor wide(const tflite::Ints& shape, float scale, std::int64_t zero_point = 0) {
  return {shape, TensorType::INT16, {}, scale, zero_point};
}

/// A sum of `weights` with a bias of T.
template <class T>
graph::Graph dense16(const std::vector<std::int8_t>& weights, T bias, TensorType type, float out_scale) {
  const auto depth = static_cast<std::int32_t>(weights.size());
  File file;
  return file.import(kDense16, BuiltinOptions::FullyConnectedOptions,
                     tflite::CreateFullyConnectedOptions(file.builder()),
                     {wide({1, depth}, 0.5F), stored(TensorType::INT8, {1, depth}, weights, 0.5F),
                      stored<T>(type, {1}, {bias}, 0.25F), wide({1, 1}, out_scale)},
                     {0, 1, 2});
}

std::vector<std::int16_t> run16(const graph::Graph& g, const std::vector<std::int16_t>& x) {
  const graph::Bytes out = pipeline::Reference(g).run({*graph::to_bytes(x)}).at(0);
  std::vector<std::int16_t> result(out.size() / 2);
  std::memcpy(result.data(), out.data(), out.size());
  return result;
}

// 65536 / (1 + exp(1 / 2)) is 24742.5, its rest 40793.5.
TEST(Tflite16, SoftmaxOfInt8GivesTheWholeRangeOfInt16) {
  constexpr int kSoftmax = 25;
  const auto import = [](std::int64_t zero_point) {
    File file;
    return file.import(
        kSoftmax, BuiltinOptions::SoftmaxOptions, tflite::CreateSoftmaxOptions(file.builder(), 1),
        {FileTensor{{1, 2}, TensorType::INT8, {}, 0.25F, 3}, wide({1, 2}, 0x1p-16F, zero_point)}, {0});
  };
  const graph::Bytes out =
      pipeline::Reference(import(-32768)).run({*graph::to_bytes(std::vector<std::int8_t>{5, 7})}).at(0);
  std::vector<std::int16_t> result(2);
  std::memcpy(result.data(), out.data(), out.size());
  EXPECT_THAT(result, ElementsAre(24743 - 32768, 40793 - 32768));
  EXPECT_THAT([&] { import(0); },
              ThrowsMessage<UserError>(HasSubstr("and zero point 0, needs 1/65536 and -32768")));
}

// 5 / 4 is 1.25, and 5 / 2 is 2.5: one rounding gives 1, a rounding after each halving 3 and 2.
TEST(Tflite16, SumsOfInt64AreRoundedOnceAndThoseOfInt32Twice) {
  EXPECT_THAT(run16(dense16<std::int64_t>({1}, 0, TensorType::INT64, 1), {5}), ElementsAre(1));
  EXPECT_THAT(run16(dense16<std::int32_t>({1}, 0, TensorType::INT32, 1), {5}), ElementsAre(2));
  EXPECT_THAT(run16(dense16<std::int64_t>({1}, 1000, TensorType::INT64, 0.25F), {-3}), ElementsAre(997));
}

/// Results of TFLite Micro for roots, and of LiteRT, as Micro has the others of floats alone.
TEST(Tflite16, FunctionsAreOfFixedPointOrLinesOfATable) {
  const auto function = [](int code, float in, float out, const std::vector<std::int16_t>& x) {
    const auto count = static_cast<std::int32_t>(x.size());
    const graph::Graph g = File().import(code, BuiltinOptions::NONE, flatbuffers::Offset<void>(),
                                         {wide({count}, in), wide({count}, out)}, {0});
    return run16(g, x);
  };
  // 4, 1, 100, 0, -1
  EXPECT_THAT(function(kRsqrt, 0.5F, 1 / 4096.F, {8, 2, 200, 0, -2}),
              ElementsAre(2048, 4096, 410, 32767, 32767));
  EXPECT_THAT(function(kExp, 1 / 1024.F, 1 / 1024.F, {0, 1024, -1024, 32767, -32768}),
              ElementsAre(1023, 2779, 376, 32767, 0));
  EXPECT_THAT(function(kLog, 1 / 1024.F, 1 / 4096.F, {1024, 20000, 1, 0, -5}),
              ElementsAre(2, 12174, -27984, -28138, -28319));
  EXPECT_THAT(function(kSqrt, 1 / 1024.F, 1 / 4096.F, {1024, 2048, 1, 0, -5}),
              ElementsAre(4096, 5792, 128, 0, 0));
}

TEST(Tflite16, IntegersOf32BitsAreQuantised) {
  const auto quantize = [](const FileTensor& from, const FileTensor& to, const auto& x, auto like) {
    const graph::Graph g =
        File().import(kQuantize, BuiltinOptions::NONE, flatbuffers::Offset<void>(), {from, to}, {0});
    const graph::Bytes out = pipeline::Reference(g).run({*graph::to_bytes(x)}).at(0);
    std::vector<decltype(like)> result(out.size() / sizeof(like));
    std::memcpy(result.data(), out.data(), out.size());
    return result;
  };
  const FileTensor bytes{{3}, TensorType::INT8, {}, 0.5F, 3}, words{{3}, TensorType::INT32, {}, 0.125F};
  EXPECT_THAT(quantize(bytes, words, std::vector<std::int8_t>{3, 4, -128}, std::int32_t{}),
              ElementsAre(0, 4, -524));
  EXPECT_THAT(quantize(words, bytes, std::vector<std::int32_t>{0, 4, 100000}, std::int8_t{}),
              ElementsAre(3, 4, 127));
}

TEST(Tflite16, PortsCarryTheScale) {
  const graph::Graph g = dense16<std::int64_t>({1}, 0, TensorType::INT64, 0.25F);
  const graph::Tensor &in = g.tensor(g.inputs[0].tensor), &out = g.tensor(g.outputs[0].tensor);
  EXPECT_EQ(in.type, graph::DataType::Int16);
  EXPECT_EQ(in.quantization, (graph::Quantization{{0.5}, {0}, -1}));
  EXPECT_EQ(out.quantization, (graph::Quantization{{0.25}, {0}, -1}));
  EXPECT_EQ(g.inputs[0].rounding, Rounding::HalfAwayFromZero);
}

TEST(Tflite16, SumsBeyondTheTypeOfTheBiasAreRefused) {
  const std::vector<std::int8_t> many(600, 127);
  EXPECT_NO_THROW(dense16<std::int64_t>(many, 0, TensorType::INT64, 1000));
  EXPECT_THAT([&] { dense16<std::int32_t>(many, 0, TensorType::INT32, 1000); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("FULLY_CONNECTED at node 'fully_connected_0' "),
                                             HasSubstr("has sums of up to 2496921600, and int32"),
                                             HasSubstr("or a bias of int64"))));
  EXPECT_THAT([&] { dense16<std::int64_t>({1}, std::int64_t{1} << 47, TensorType::INT64, 1000); },
              ThrowsMessage<UserError>(HasSubstr("and int64, in which the reference adds them up")));
  EXPECT_THAT(
      [&] { dense16<std::int64_t>(many, 0, TensorType::INT64, 0.1F); },
      ThrowsMessage<UserError>(HasSubstr("that can pass int32; needs an output scale that is larger")));
}

TEST(Tflite16, WhatTheReferenceLacksIsRefusedByName) {
  const auto message = [](int code, BuiltinOptions kind, const std::vector<FileTensor>& tensors,
                          const tflite::Ints& inputs) {
    File file;
    try {
      file.import(code, kind,
                  kind == BuiltinOptions::MulOptions ? tflite::CreateMulOptions(file.builder()).Union() : 0,
                  tensors, inputs);
    } catch (const UserError& e) {
      return std::string(e.what());
    }
    return std::string("imported");
  };
  EXPECT_THAT(message(kRelu, BuiltinOptions::NONE, {wide({2}, 0.5F, 3), wide({2}, 0.5F)}, {0}),
              HasSubstr("of INT16 with zero point 3, needs 0"));
  EXPECT_THAT(message(kHardSwish, BuiltinOptions::NONE, {wide({2}, 0.5F), wide({2}, 0.5F)}, {0}),
              HasSubstr("HARD_SWISH at node 'hard_swish_0' has input 0 of INT16 with a scale"));
  EXPECT_THAT(message(kMul, BuiltinOptions::MulOptions,
                      {wide({2}, 0.5F), FileTensor{{2}, TensorType::INT8, {}, 0.5F}, wide({2}, 100)}, {0, 1}),
              HasSubstr("has input 1 of int8 with a scale, needs int16 with a scale as its output has"));
  EXPECT_THAT(
      message(kMul, BuiltinOptions::MulOptions, {wide({2}, 1), wide({2}, 1), wide({2}, 0.25F)}, {0, 1}),
      HasSubstr("has integers of up to 1073741824, which its scales multiply by 8"));
}

}  // namespace
}  // namespace vdla::import
