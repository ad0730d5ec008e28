// SPDX-License-Identifier: Apache-2.0
// Operators of 8-bit integers that no operator of the graph computes, with results of TFLite Micro's kernels,
// and operators that came with them.
#include <gmock/gmock.h>

#include <cstring>

#include "compiler/pipeline/reference.h"
#include "support/error.h"
#include "tests/compiler/import/tflite/file.h"

namespace vdla::import {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using tflite::BuiltinOptions;
using tflite::File;
using tflite::FileTensor;
using tflite::Ints;
using enum tflite::TensorType;

template <class T>
std::vector<std::uint8_t> raw(const std::vector<T>& values) {
  const auto* at = reinterpret_cast<const std::uint8_t*>(values.data());
  return {at, at + values.size() * sizeof(T)};
}

/// The elements of the result of the file's only operator.
template <class T, class X = T>
std::vector<T> results_of(const graph::Graph& g, const std::vector<std::vector<X>>& inputs) {
  std::vector<graph::Bytes> bytes;
  for (const auto& x : inputs) bytes.push_back(*graph::to_bytes(x));
  const graph::Bytes out = pipeline::Reference(g).run(bytes).at(0);
  std::vector<T> result(out.size() / sizeof(T));
  std::memcpy(result.data(), out.data(), out.size());
  return result;
}
using Int8s = std::vector<std::int8_t>;
Int8s results(const graph::Graph& g, const std::vector<Int8s>& inputs) {
  return results_of<std::int8_t>(g, inputs);
}

graph::Graph plain(int code, const std::vector<FileTensor>& tensors, const Ints& inputs) {
  return File().import(code, BuiltinOptions::NONE, flatbuffers::Offset<void>(), tensors, inputs);
}

TEST(IntegerMaps, ComparisonsAreOfReals) {
  const std::vector<FileTensor> tensors = {
      {{4}, INT8, {}, 0.5F, 2}, {{4}, INT8, {}, 0.25F, -4}, {{4}, BOOL, {}, 0}};
  const std::vector<Int8s> inputs = {{4, 4, 4, 2}, {0, -1, 1, -4}};  // 1, 1, 1, 0 and 1, 0.75, 1.25, 0
  const auto holds = [&](int code) { return results_of<std::uint8_t>(plain(code, tensors, {0, 1}), inputs); };
  EXPECT_THAT(holds(71), ElementsAre(1, 0, 0, 1));  // EQUAL
  EXPECT_THAT(holds(72), ElementsAre(0, 1, 1, 0));  // NOT_EQUAL
  EXPECT_THAT(holds(61), ElementsAre(0, 1, 0, 0));  // GREATER
  EXPECT_THAT(holds(62), ElementsAre(1, 1, 0, 1));  // GREATER_EQUAL
  EXPECT_THAT(holds(58), ElementsAre(0, 0, 1, 0));  // LESS
  EXPECT_THAT(holds(63), ElementsAre(1, 0, 1, 1));  // LESS_EQUAL
}

TEST(IntegerMaps, QuotientsHaveSignsActivationsAndEnds) {
  File file;
  const auto options = tflite::CreateActivationOptions(file.builder(), tflite::Activation::RELU);
  const graph::Graph g = file.import(
      42, BuiltinOptions::DivOptions, options,
      {{{6}, INT8, {}, 0.5F, -2}, {{6}, INT8, {}, 0.25F, 1}, {{6}, INT8, {}, 0.125F, -8}}, {0, 1});
  // 5 / 2, -5 / -2, 5 / -2, 0 / 2, 10 / 0.25, 4 / 0
  EXPECT_THAT(results(g, {{8, -12, 8, -2, 18, 6}, {9, -7, -7, 9, 2, 1}}),
              ElementsAre(12, 12, -8, -8, 127, 127));
}

TEST(IntegerMaps, RootsOfZeroAndBelowAreTheLargest) {
  const graph::Graph g = plain(76, {{{6}, INT8, {}, 1, -4}, {{6}, INT8, {}, 1 / 64.F, -10}}, {0});
  // 4, 1, 100, 16, 0, -1
  EXPECT_THAT(results(g, {{0, -3, 96, 12, -4, -5}}), ElementsAre(22, 54, -4, 6, 127, 127));
}

TEST(IntegerMaps, AZeroPointBeyond8BitsIsRefused) {
  EXPECT_THAT(
      [] { plain(76, {{{6}, INT32, {}, 1, -256}, {{6}, INT8, {}, 1 / 64.F, -10}}, {0}); },
      ThrowsMessage<UserError>(HasSubstr("has a tensor of zero point -256 (as int8), needs one of 8 bits")));
}

/// Scales of both extremes make 0 times infinity of it, which is no number of steps.
TEST(IntegerMaps, AStepThatIsNoNumberIsTheZeroPoint) {
  const graph::Graph g = plain(47, {{{2}, INT8, {}, 3e38F, 0}, {{2}, INT8, {}, 1e-44F, 5}}, {0});  // EXP
  EXPECT_THAT(results(g, {{-1, 1}}), ElementsAre(5, 127));
}

TEST(IntegerMaps, NormsAreOfTheLastDimension) {
  const FileTensor in{{3, 2}, INT8, {}, 0.7F, 2};
  // 3 and 4, 0 and 0, 0 and 1
  EXPECT_THAT(results(plain(11, {in, {{3, 2}, INT8, {}, 1 / 128.F, 0}}, {0}), {{5, 6, 2, 2, 2, 3}}),
              ElementsAre(77, 102, 0, 0, 0, 127));
  EXPECT_THAT([&] { plain(11, {in, {{3, 2}, INT8, {}, 0.5F, 1}}, {0}); },
              ThrowsMessage<UserError>(
                  HasSubstr("has an output of scale 0.5 and zero point 1 (as int8), needs 1/128 and 0")));
  constexpr int kMany = 33026;
  EXPECT_THAT([&] { plain(11, {{{kMany}, INT8, {}, 1}, {{kMany}, INT8, {}, 1 / 128.F}}, {0}); },
              ThrowsMessage<UserError>(HasSubstr("adds up 33026 squares, needs 33025 at most")));
}

TEST(IntegerMaps, DifferencesAreSquaredInTheLargerScale) {
  const auto squares = [](float scale) {
    return plain(99, {{{4}, INT8, {}, 0.5F, 2}, {{4}, INT8, {}, 0.25F, -4}, {{4}, INT8, {}, scale, -10}},
                 {0, 1});
  };
  // 1 - 1, 1 - 0, -2 - 2, 62.5 - 0
  EXPECT_THAT(results(squares(0.25F), {{4, 4, -2, 127}, {0, -4, 4, -4}}), ElementsAre(-10, -6, 54, 127));
  EXPECT_THAT([&] { squares(1e-5F); },
              ThrowsMessage<UserError>(HasSubstr("needs less than 1: an output scale that is larger")));
}

TEST(IntegerMaps, MagnitudesAreScaled) {
  const graph::Graph g = plain(101, {{{6}, INT8, {}, 0.5F, 10}, {{6}, INT8, {}, 1, -5}}, {0});
  // |x - 10| / 2 - 5, halves away from zero.
  EXPECT_THAT(results(g, {{10, 12, 8, 7, -128, 127}}), ElementsAre(-5, -4, -4, -3, 64, 54));
}

/// Results of LiteRT, as TFLite Micro has these of floats alone.
TEST(IntegerMaps, ExponentialsLogarithmsAndRootsAreTables) {
  EXPECT_THAT(results(plain(47, {{{4}, INT8, {}, 0.05F, 10}, {{4}, INT8, {}, 0.02F, -100}}, {0}),
                      {{10, 30, -128, 127}}),
              ElementsAre(-50, 36, -100, 127));
  // 1, 0, -0.5, 2, 64.5
  EXPECT_THAT(results(plain(73, {{{5}, INT8, {}, 0.5F, -2}, {{5}, INT8, {}, 1 / 32.F, 5}}, {0}),
                      {{0, -2, -3, 2, 127}}),
              ElementsAre(5, -128, -128, 27, 127));
  // The root of 2 is 5.66 steps, and truncated; that of -0.5 is that of 0 here.
  EXPECT_THAT(results(plain(75, {{{5}, INT8, {}, 0.5F, -4}, {{5}, INT8, {}, 0.25F, -10}}, {0}),
                      {{-4, 0, 28, -5, 127}}),
              ElementsAre(-10, -5, 6, -10, 22));
}

/// Results of LiteRT: int8 has no 128.
TEST(IntegerMaps, NegativesNeedOppositeZeroPoints) {
  const auto negative = [](float scale, std::int64_t zero_point) {
    return plain(59, {{{4}, INT8, {}, 0.5F, 3}, {{4}, INT8, {}, scale, zero_point}}, {0});
  };
  EXPECT_THAT(results(negative(0.5F, -3), {{3, 4, -128, 127}}), ElementsAre(-3, -4, -128, -127));
  EXPECT_THROW(negative(0.5F, 3), UserError);
  EXPECT_THROW(negative(0.25F, -3), UserError);
}

/// Results of LiteRT.
TEST(IntegerMaps, ReluHasEndsInTheOutputsSteps) {
  const graph::Graph g = plain(152, {{{4}, INT8, {}, 0.1F, 0}, {{4}, INT8, {}, 0.05F, -20}}, {0});
  EXPECT_THAT(results(g, {{-5, 0, 5, 20}}), ElementsAre(-20, -20, -10, 0));
}

/// The kernel's sums begin with the zero point of the inputs, subtracted once more.
TEST(IntegerMaps, SumsOfManyBeginAsTheKernelDoes) {
  const FileTensor t{{3}, INT8, {}, 0.5F, 1};
  EXPECT_THAT(results(plain(106, {t, t, t, {{3}, INT8, {}, 0.5F, 10}}, {0, 1, 2}),
                      {{1, 5, 100}, {1, 6, 100}, {1, 7, 100}}),
              ElementsAre(9, 24, 127));
  const FileTensor other{{3}, INT8, {}, 0.25F, 1};
  EXPECT_THROW(plain(106, {t, other, t}, {0, 1}), UserError);
}

TEST(IntegerMaps, SumsAlongAnAxisAreExclusiveOrReversed) {
  const auto sums = [](bool exclusive, bool reverse) {
    File file;
    const auto options = tflite::CreateCumsumOptions(file.builder(), exclusive, reverse);
    return results(
        file.import(128, BuiltinOptions::CumsumOptions, options,
                    {{{2, 3}, INT8, {}, 0.5F}, {{}, INT32, raw(Ints{-1}), 0}, {{2, 3}, INT8, {}, 0.5F, 3}},
                    {0, 1}),
        {{1, 2, 3, 50, 60, 70}});
  };
  EXPECT_THAT(sums(false, false), ElementsAre(4, 6, 9, 53, 113, 127));
  EXPECT_THAT(sums(true, false), ElementsAre(3, 4, 6, 3, 53, 113));
  EXPECT_THAT(sums(false, true), ElementsAre(9, 8, 6, 127, 127, 73));
}

TEST(IntegerMaps, SumsOfAxesKeepTheInputsScaleAlone) {
  File file;
  const auto options = tflite::CreateReducerOptions(file.builder(), true);
  const graph::Graph g = file.import(
      74, BuiltinOptions::ReducerOptions, options,
      {{{2, 3}, INT8, {}, 0.5F, 2}, {{1}, INT32, raw(Ints{1}), 0}, {{2, 1}, INT8, {}, 1, -1}}, {0, 1});
  EXPECT_THAT(results(g, {{3, 4, 5, -2, -2, -2}}), ElementsAre(2, -7));
}

/// The product of a table in double was 1 higher for some elements.
TEST(IntegerMaps, HardSwishIsOf16Bits) {
  const graph::Graph g = plain(117, {{{5}, INT8, {}, 0.05F, 0}, {{5}, INT8, {}, 0.02F, -120}}, {0});
  EXPECT_THAT(results(g, {{0, 61, 62, 97, -4}}), ElementsAre(-120, 32, 35, 122, -125));
}

/// A bias of more dimensions once ended the compiler: "tensor 'in2' has 4 dimensions, got 1 indices".
TEST(IntegerMaps, ABiasMayHaveMoreDimensions) {
  File file;
  const auto options = tflite::CreateDepthwiseConv2DOptions(file.builder(), tflite::Padding::VALID, 1, 1, 1);
  const graph::Graph g = file.import(4, BuiltinOptions::DepthwiseConv2DOptions, options,
                                     {{{1, 1, 1, 2}, INT8},
                                      {{1, 1, 1, 2}, INT8, {2, 3}},
                                      {{1, 1, 1, 2}, INT32, raw(Ints{10, 20})},
                                      {{1, 1, 1, 2}, INT8}},
                                     {0, 1, 2});
  EXPECT_THAT(results(g, {{1, 2}}), ElementsAre(12, 26));
}

TEST(IntegerMaps, APadMaySayWhatItAdds) {
  const graph::Graph g = plain(
      34, {{{2}, INT8}, {{1, 2}, INT32, raw(Ints{1, 2}), 0}, {{1}, INT8, {42}}, {{5}, INT8}}, {0, 1, 2});
  EXPECT_THAT(results(g, {{1, 2}}), ElementsAre(42, 1, 2, 42, 42));
}

TEST(Div, OfIntegersMayHaveAnActivation) {
  const FileTensor t{{4}, INT32, {}, 0};
  const auto quotients = [&](tflite::Activation activation) {
    File file;
    const auto options = tflite::CreateActivationOptions(file.builder(), activation);
    return results_of<std::int32_t>(file.import(42, BuiltinOptions::DivOptions, options, {t, t, t}, {0, 1}),
                                    std::vector<std::vector<std::int32_t>>{{-9, 9, 70, 0}, {2, 2, 7, 5}});
  };
  EXPECT_THAT(quotients(tflite::Activation::RELU), ElementsAre(0, 4, 10, 0));
  EXPECT_THAT(quotients(tflite::Activation::RELU6), ElementsAre(0, 4, 6, 0));
  EXPECT_THAT(quotients(tflite::Activation::RELU_N1_TO_1), ElementsAre(-1, 1, 1, 0));
}

/// Quotients in float32 would be too large: 9.9 / 3.3 is 3 there.
TEST(FloorDiv, OfFloatsIsOfTheQuotientBeforeItIsRounded) {
  const FileTensor t{{2}, FLOAT32, {}, 0};
  EXPECT_THAT((results_of<float>(plain(90, {t, t, t}, {0, 1}), {{-9.9F, 10}, {-3.3F, -4}})),
              ElementsAre(2, -3));
}

TEST(EmbeddingLookup, OfIntegersStaysOrBecomesFloats) {
  const FileTensor places{{2}, INT32, {}, 0}, table{{3, 2}, INT8, {1, 2, 3, 4, 5, 6}, 0.5F};
  const auto rows = [&]<class T>(const FileTensor& out, T) {
    return results_of<T, std::int32_t>(plain(7, {places, table, out}, {0, 1}), {{2, 0}});
  };
  EXPECT_THAT(rows({{2, 2}, INT8, {}, 0.5F}, std::int8_t{}), ElementsAre(5, 6, 1, 2));
  EXPECT_THAT(rows({{2, 2}, FLOAT32, {}, 0}, float{}), ElementsAre(2.5F, 3, 0.5F, 1));
}

TEST(DynamicUpdateSlice, IsMovedInside) {
  const auto updated = [](const Ints& begin) {
    return results_of<std::int32_t>(
        plain(151,
              {{{2, 3}, INT32, {}, 0}, {{1, 2}, INT32, {}, 0}, {{2}, INT32, {}, 0}, {{2, 3}, INT32, {}, 0}},
              {0, 1, 2}),
        {{1, 2, 3, 4, 5, 6}, {8, 9}, begin});
  };
  EXPECT_THAT(updated({1, 0}), ElementsAre(1, 2, 3, 8, 9, 6));
  EXPECT_THAT(updated({-5, 7}), ElementsAre(1, 8, 9, 4, 5, 6));
}

TEST(StridedSlice, AMaskedBeginIsTheFirstElementAlsoWhereOneIsTaken) {
  File file;
  const auto options = tflite::CreateStridedSliceOptions(file.builder(), 1, 0, 0, 0, 1);
  const FileTensor x{{3}, INT32, {}, 0}, at{{1}, INT32, raw(Ints{1}), 0}, y{{}, INT32, {}, 0};
  const graph::Graph g =
      file.import(45, BuiltinOptions::StridedSliceOptions, options, {x, at, at, at, y}, {0, 1, 2, 3});
  EXPECT_THAT(results_of<std::int32_t>(g, {{7, 8, 9}}), ElementsAre(7));
}

TEST(BroadcastArgs, GivesTheLargerExtents) {
  const graph::Graph g = plain(145, {{{3}, INT32, {}, 0}, {{2}, INT32, {}, 0}, {{3}, INT32, {}, 0}}, {0, 1});
  EXPECT_THAT(results_of<std::int32_t>(g, {{4, 1, 3}, {2, 3}}), ElementsAre(4, 2, 3));
}

}  // namespace
}  // namespace vdla::import
