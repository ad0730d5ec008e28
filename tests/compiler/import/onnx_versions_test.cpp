// SPDX-License-Identifier: Apache-2.0
// Operators whose meaning depends on the operator set, or on an attribute that was once passed over: each was
// a wrong number without a word. Graphs of constants, which the importer computes; values by hand.
#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "tests/compiler/import/onnx_text.h"

namespace vdla::import {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::FloatNear;
using testing::graph_in_set;
using ::testing::HasSubstr;
using ::testing::Pointwise;
using testing::refused;
using testing::shape_of;
using ::testing::ThrowsMessage;
using testing::values_in_set;

/// A graph of one node with data x [1,2,2,2] of 0 to 7 and other constants.
std::string on_image(const std::string& node, const std::string& constants = "") {
  return "g (float[1,2,2,2] x = {0, 1, 2, 3, 4, 5, 6, 7}" + (constants.empty() ? "" : ", " + constants) +
         ") => (float y) { y = " + node + " }";
}

const std::string kNine = "{1, 1, 1, 1, 1, 1, 1, 1, 1}";

TEST(OnnxWords, AutoPadIsOneOfFourWords) {
  for (const std::string op : {"MaxPool <kernel_shape = [1, 1]", "AveragePool <kernel_shape = [1, 1]"})
    refused(13, on_image(op + ", auto_pad = \"SAME\"> (x)"),
            "has auto_pad 'SAME', needs NOTSET, SAME_UPPER, SAME_LOWER or VALID");
  for (const std::string op : {"Conv", "ConvTranspose"})
    refused(13, on_image(op + " <auto_pad = \"same_upper\"> (x, w)", "float[2,2,1,1] w = {1, 1, 1, 1}"),
            "has auto_pad 'same_upper'");
}

TEST(OnnxWords, AValidTransposedConvolutionHasNoPads) {
  const auto text = [](const std::string& word) {
    return "g (float[1,1,2,2] x, float[1,1,3,3] w = " + kNine + ") => (float y) { y = ConvTranspose <" +
           word + "pads = [1, 1, 1, 1]> (x, w) }";
  };
  EXPECT_EQ(shape_of(13, text("auto_pad = \"VALID\", ")), (graph::Shape{1, 1, 4, 4}));
  EXPECT_EQ(shape_of(13, text("")), (graph::Shape{1, 1, 2, 2}));
}

TEST(OnnxWords, UnknownWordsAreRefused) {
  refused(20, on_image("Gelu <approximate = \"tan\"> (x)"), "has approximate 'tan', needs none or tanh");
  refused(13, "g (float[1,4,1,1] x) => (float y) { y = DepthToSpace <blocksize = 2, mode = \"RCD\"> (x) }",
          "has mode 'RCD', needs DCR or CRD");
  refused(16,
          "g (float[2] x, int64[1] i, float[1] u) => (float y) { y = ScatterElements <reduction = \"sum\"> "
          "(x, i, u) }",
          "has reduction 'sum'");
}

TEST(OnnxWords, GridSampleHasTheWordsOfItsSet) {
  const auto text = [](const std::string& mode) {
    return "g (float[1,1,2,2] x = {1, 2, 3, 4}, float[1,1,1,2] p = {0, 0}) => (float y) { y = GridSample "
           "<mode = \"" +
           mode + "\"> (x, p) }";
  };
  EXPECT_THAT(values_in_set(20, text("linear")), ElementsAre(2.5F));
  EXPECT_THAT(values_in_set(16, text("bilinear")), ElementsAre(2.5F));
  EXPECT_EQ(values_in_set(20, text("cubic")), values_in_set(16, text("bicubic")));
  refused(16, text("linear"), "has mode 'linear', needs bilinear, nearest or bicubic");
  refused(20, text("bicubic"), "has mode 'bicubic', needs linear, nearest or cubic");
}

TEST(OnnxWindows, AKernelShapeOtherThanTheWeightsIsRefused) {
  const std::string image = "[1,1,3,3] x, ", weights = "[1,1,3,3] w = " + kNine;
  for (const std::string op : {"Conv", "ConvTranspose"})
    refused(13,
            "g (float" + image + "float" + weights + ") => (float y) { y = " + op +
                " <kernel_shape = [2, 2]> (x, w) }",
            "has kernel_shape 2x2 and weights 1x1x3x3, needs the extents of the weights, 3x3");
  refused(13,
          "g (int8" + image + "int8" + weights +
              ") => (int32 y) { y = ConvInteger <kernel_shape = [2, 2]> (x, w) }",
          "has kernel_shape 2x2");
  EXPECT_NO_THROW(graph_in_set(13, "g (float" + image + "float" + weights +
                                       ") => (float y) { y = Conv <kernel_shape = [3, 3]> (x, w) }"));
}

TEST(OnnxWindows, AKernelShapeOtherThanInt8WeightsIsRefused) {
  refused(
      13,
      "g (float[1,1,3,3] x, float s = {1}, int8 z = {0}, int8[1,1,3,3] w = " + kNine +
          ") => (float y) { q = QuantizeLinear (x, s, z) d = DequantizeLinear (q, s, z) v = "
          "DequantizeLinear (w, s, z) c = Conv <kernel_shape = [2, 2]> (d, v) r = QuantizeLinear (c, s, z) "
          "y = DequantizeLinear (r, s, z) }",
      "has kernel_shape 2x2");
}

TEST(OnnxWindows, ThePowerOfTheFirstLpPoolIsAFloat) {
  EXPECT_THAT(
      values_in_set(1,
                    "g (float[1,1,2,2] x = {1, 2, 2, 4}) => (float y) { y = LpPool <kernel_shape = [2, "
                    "2], p = 2.0> (x) }"),
      ElementsAre(FloatNear(5, 1e-5F)));
}

/// 10 * 0.7f is 6.9999998807 in exact numbers and 7 in float32, in which ONNX Runtime computes it.
TEST(OnnxResize, ExtentsAreScaledInFloat32) {
  const auto text = [](const std::string& scale) {
    return "g (float[1,1,1,10] x, float[4] s = {1, 1, 1, " + scale +
           "}) => (float y) { y = Resize (x, , s) }";
  };
  EXPECT_EQ(shape_of(13, text("0.7")), (graph::Shape{1, 1, 1, 7}));
  EXPECT_EQ(shape_of(13, text("0.69")), (graph::Shape{1, 1, 1, 6}));
}

/// Nearest elements of x [1,1,1,n] of 0 to n - 1.
std::vector<float> nearest(std::int64_t set, int n, const std::string& attributes, const std::string& inputs,
                           const std::string& constants) {
  std::string data;
  for (int i = 0; i < n; ++i) data += (i > 0 ? ", " : "") + std::to_string(i);
  return values_in_set(set, "g (float[1,1,1," + std::to_string(n) + "] x = {" + data + "}, " + constants +
                                ") => (float y) { y = Resize <" + attributes + "> (" + inputs + ") }");
}

/// 3 / 0.6f is 4.9999998 in exact numbers and 5 in float32.
TEST(OnnxResize, CoordinatesAreComputedInFloat32) {
  const std::string middle = "coordinate_transformation_mode = \"asymmetric\", nearest_mode = \"floor\"";
  EXPECT_THAT(nearest(13, 10, middle, "x, , s", "float[4] s = {1, 1, 1, 0.6}"),
              ElementsAre(0, 1, 3, 5, 6, 8));
}

TEST(OnnxResize, BeforeSet11ASmallerOutputTakesTheElementAfter) {
  EXPECT_THAT(values_in_set(10,
                            "g (float[1,1,1,4] x = {1, 2, 3, 4}, float[4] s = {1, 1, 1, 0.6}) => (float y) { "
                            "y = Resize <mode = \"nearest\"> (x, s) }"),
              ElementsAre(1, 3));
}

TEST(OnnxResize, AxesNameWhatScalesAndSizesBelongTo) {
  const std::string x = "float[1,1,2,3] x", tail = ") => (float y) { y = Resize <axes = [3, 2]> (x, , ";
  EXPECT_EQ(shape_of(18, "g (" + x + ", float[2] s = {2, 3}" + tail + "s) }"), (graph::Shape{1, 1, 6, 6}));
  EXPECT_EQ(shape_of(18, "g (" + x + ", int64[2] s = {4, 5}" + tail + ", s) }"), (graph::Shape{1, 1, 5, 4}));
  refused(18, "g (" + x + ", int64[4] s = {1, 1, 4, 5}" + tail + ", s) }", "has 4 sizes, needs 2");
}

TEST(OnnxResize, SizesCanKeepTheRatioOfTheExtents) {
  const auto text = [](const std::string& policy) {
    return "g (float[1,1,2,4] x, int64[2] s = {7, 8}) => (float y) { y = Resize <axes = [2, 3], "
           "keep_aspect_ratio_policy = \"" +
           policy + "\"> (x, , , s) }";
  };
  EXPECT_EQ(shape_of(18, text("stretch")), (graph::Shape{1, 1, 7, 8}));
  EXPECT_EQ(shape_of(18, text("not_larger")), (graph::Shape{1, 1, 4, 8}));
  EXPECT_EQ(shape_of(18, text("not_smaller")), (graph::Shape{1, 1, 7, 14}));
}

/// 4 elements by 0.6f give 2 of 2.4: the symmetric form moves by 2 * (1 - 2 / 2.4) = 1 / 3.
TEST(OnnxResize, HalfPixelSymmetricCentresTheOutput) {
  const auto text = [](const std::string& word) {
    return "g (float[1,1,1,4] x = {1, 2, 3, 4}, float[4] s = {1, 1, 1, 0.6}) => (float y) { y = Resize <mode "
           "= \"linear\", coordinate_transformation_mode = \"" +
           word + "\"> (x, , s) }";
  };
  EXPECT_THAT(values_in_set(19, text("half_pixel_symmetric")),
              ElementsAre(FloatNear(1.6666667F, 1e-5F), FloatNear(3.3333333F, 1e-5F)));
  EXPECT_THAT(values_in_set(19, text("half_pixel")),
              ElementsAre(FloatNear(1.3333333F, 1e-5F), FloatNear(3, 1e-5F)));
}

TEST(OnnxResize, UnknownWordsAreRefused) {
  refused(13, on_image("Resize <nearest_mode = \"round\"> (x, , s)", "float[4] s = {1, 1, 2, 2}"),
          "has nearest_mode 'round'");
  refused(18,
          on_image("Resize <keep_aspect_ratio_policy = \"keep\"> (x, , , s)", "int64[4] s = {1, 2, 2, 2}"),
          "has keep_aspect_ratio_policy 'keep'");
}

TEST(OnnxResize, ScalesBesideSizesAreRefused) {
  refused(13,
          "g (float[1,1,2,2] x, float[4] s = {1, 1, 2, 2}, int64[4] n = {1, 1, 4, 4}) => (float y) { y = "
          "Resize (x, , s, n) }",
          "has both scales and sizes");
}

TEST(OnnxResize, TheFirstUpsampleHasAHeightAndAWidth) {
  EXPECT_EQ(shape_of(1,
                     "g (float[1,1,2,2] x) => (float y) { y = Upsample <height_scale = 2.0, width_scale = "
                     "3.0> (x) }"),
            (graph::Shape{1, 1, 4, 6}));
}

TEST(OnnxBroadcast, BeforeSet7AnAxisSaysWhereTheSecondInputBegins) {
  const std::string b = "float[2] b = {10, 20}";
  EXPECT_THAT(values_in_set(6, on_image("Add <axis = 1, broadcast = 1> (x, b)", b)),
              ElementsAre(10, 11, 12, 13, 24, 25, 26, 27));
  EXPECT_THAT(values_in_set(6, on_image("Sub <broadcast = 1> (x, b)", b)),
              ElementsAre(-10, -19, -8, -17, -6, -15, -4, -13));
  EXPECT_THAT(
      values_in_set(6, on_image("Mul <axis = 1, broadcast = 1> (x, b)", "float[2,2] b = {1, 2, 3, 4}")),
      ElementsAre(0, 1, 4, 6, 12, 15, 24, 28));
  EXPECT_THAT(values_in_set(1, on_image("Pow <axis = 1, broadcast = 1> (x, b)", "float[2] b = {1, 2}")),
              ElementsAre(0, 1, 2, 3, 16, 25, 36, 49));
  EXPECT_THAT(values_in_set(6, on_image("Div <axis = 3, broadcast = 1> (x, b)", "float[1] b = {2}")),
              ElementsAre(0, 0.5F, 1, 1.5F, 2, 2.5F, 3, 3.5F));
  refused(6, on_image("Add (x, b)", b), "has inputs of 1x2x2x2 and 2, needs one shape, or broadcast = 1");
  refused(6, on_image("Add <axis = 3, broadcast = 1> (x, b)", "float[2,2] b = {1, 2, 3, 4}"),
          "broadcasts 1x2x2x2 and 2x2 from dimension 3 on, needs at most 2");
  EXPECT_THAT(values_in_set(7, on_image("Add (x, b)", b)), ElementsAre(10, 21, 12, 23, 14, 25, 16, 27));
}

TEST(OnnxBroadcast, BeforeSet7ASlopeBelongsToAChannel) {
  const std::string text =
      "g (float[1,2,2,2] x = {-1, -1, -1, -1, -1, -1, -1, -1}, float[2] s = {10, 100}) => (float y) { y = "
      "PRelu (x, s) }";
  EXPECT_THAT(values_in_set(6, text), ElementsAre(-10, -10, -10, -10, -100, -100, -100, -100));
  EXPECT_THAT(values_in_set(7, text), ElementsAre(-10, -100, -10, -100, -10, -100, -10, -100));
}

TEST(OnnxBroadcast, ShapesThatDoNotFitNameTheirNode) {
  refused(13, "g (float[2,3] x, float[1,4] b) => (float y) { y = Add (x, b) }",
          "node 'Add_0' has inputs whose shapes 2x3 and 1x4 do not broadcast");
}

TEST(OnnxScatter, TheLargestOrSmallestOfSeveralUpdatesStays) {
  const auto elements = [](const std::string& word) {
    return "g (float[2,3] x = {1, 2, 3, 4, 5, 6}, int64[1,3] i = {1, -2, 0}, float[1,3] u = {9, 1, 0}) => "
           "(float y) { y = ScatterElements <axis = 1, reduction = \"" +
           word + "\"> (x, i, u) }";
  };
  EXPECT_THAT(values_in_set(18, elements("max")), ElementsAre(1, 9, 3, 4, 5, 6));
  EXPECT_THAT(values_in_set(18, elements("min")), ElementsAre(0, 1, 3, 4, 5, 6));
  refused(16, elements("max"), "has reduction 'max', needs none, add or mul");
  const auto rows = [](const std::string& word) {
    return "g (float[2,2] x = {1, 2, 3, 4}, int64[3,1] i = {1, 1, -2}, float[3,2] u = {9, 0, 2, 5, 0, 7}) => "
           "(float y) { y = ScatterND <reduction = \"" +
           word + "\"> (x, i, u) }";
  };
  EXPECT_THAT(values_in_set(18, rows("max")), ElementsAre(1, 7, 9, 5));
  EXPECT_THAT(values_in_set(18, rows("min")), ElementsAre(0, 2, 2, 0));
  EXPECT_EQ(values_in_set<std::int32_t>(
                18,
                "g (int32[2,2] x = {1, 2, 3, 4}, int64[1,2] i = {1, 0}, int32[1] u = {9}) => (int32 "
                "y) { y = ScatterND <reduction = \"max\"> (x, i, u) }")
                .size(),
            4U);
}

TEST(OnnxSplit, PartsAreAsManyAsTheNodeStates) {
  const auto text = [](const std::string& attributes, const std::string& inputs = "x") {
    return "g (float[1,3] x, int64[2] s = {1, 2}) => (float a, float b) { a, b = Split <axis = 1" +
           attributes + "> (" + inputs + ") }";
  };
  refused(18, text(", num_outputs = 3"), "has num_outputs 3, 2 outputs: needs as many outputs");
  refused(18, text(", num_outputs = 2", "x, s"), "has num_outputs 2, sizes: needs");
  EXPECT_EQ(shape_of(18, text(", num_outputs = 2")), (graph::Shape{1, 2}));
  EXPECT_EQ(shape_of(18, text("", "x, s")), (graph::Shape{1, 1}));
  refused(13, text(""), "splits axis 1 of 1x3 in 2, needs equal parts before operator set 18");
}

TEST(OnnxTraining, ANormalisationThatTrainsIsRefused) {
  const auto text = [](const std::string& outputs, const std::string& attributes = "") {
    return "g (float[1,2,2,2] x, float[2] s, float[2] b, float[2] m, float[2] v) => (float y) { " + outputs +
           " = BatchNormalization <epsilon = 0.001" + attributes + "> (x, s, b, m, v) }";
  };
  const std::string trains = "is out of scope: it trains";
  refused(9, text("y, p, q, r, t"), trains);
  EXPECT_NO_THROW(graph_in_set(9, text("y")));
  refused(6, text("y"), trains);
  EXPECT_NO_THROW(graph_in_set(6, text("y", ", is_test = 1")));
  refused(14, text("y, p, q", ", training_mode = 1"), trains);
}

TEST(OnnxTraining, ADropoutThatDropsIsRefused) {
  refused(6, on_image("Dropout <ratio = 0.5> (x)"), "is out of scope: it trains");
  EXPECT_NO_THROW(graph_in_set(6, on_image("Dropout <is_test = 1> (x)")));
  EXPECT_NO_THROW(graph_in_set(7, on_image("Dropout (x)")));
}

TEST(OnnxTraining, TheMaskHasTheTypeOfItsSet) {
  const std::string body = "{ y, m = Dropout (x) }";
  EXPECT_THAT(values_in_set(9, "g (float[2] x = {3, 4}) => (float y, float m) " + body, 1),
              ElementsAre(1, 1));
  EXPECT_THAT(values_in_set<std::uint8_t>(10, "g (float[2] x = {3, 4}) => (float y, bool m) " + body, 1),
              ElementsAre(1, 1));
}

TEST(OnnxReductions, TheLargestOfBoolIsAny) {
  const auto text = [](const std::string& op) {
    return "g (bool[2,2] x = {1, 0, 0, 0}, int64[1] a = {1}) => (bool y) { y = " + op +
           " <keepdims = 0> (x, a) }";
  };
  EXPECT_THAT(values_in_set<std::uint8_t>(20, text("ReduceMax")), ElementsAre(1, 0));
  EXPECT_THAT(values_in_set<std::uint8_t>(20, text("ReduceMin")), ElementsAre(0, 0));
}

TEST(OnnxReductions, HardmaxBeforeSet13CountsDimensionsAsOne) {
  const auto text = [](const std::string& attributes) {
    return "g (float[1,2,2] x = {1, 2, 4, 3}) => (float y) { y = Hardmax <axis = " + attributes + "> (x) }";
  };
  EXPECT_THAT(values_in_set(11, text("1")), ElementsAre(0, 0, 1, 0));
  EXPECT_THAT(values_in_set(13, text("1")), ElementsAre(0, 0, 1, 1));
}

/// The squares of 300 are beyond float16.
TEST(OnnxNormalisation, AFloat16LayerIsNormalisedInFloat32) {
  const std::string text =
      "g (float[1,4] x = {300, 300, -300, -300}, float[4] w = {1, 1, 1, 1}) => (float z, float n) {"
      " h = Cast <to = 10> (x) v = Cast <to = 10> (w) y, m, n = LayerNormalization (h, v) z = Cast <to = 1> "
      "(y) }";
  EXPECT_THAT(values_in_set(17, text), ElementsAre(1, 1, -1, -1));
  EXPECT_THAT(values_in_set(17, text, 1), ElementsAre(FloatNear(1 / 300.F, 1e-7F)));
}

TEST(OnnxOldSets, TileHasOneAxis) {
  EXPECT_THAT(
      values_in_set(1,
                    "g (float[1,2] x = {1, 2}, float[1] t = {2}, float[1] a = {1}) => (float y) { y = "
                    "Tile (x, t, a) }"),
      ElementsAre(1, 2, 1, 2));
}

TEST(OnnxOldSets, CastNamesItsType) {
  EXPECT_THAT(values_in_set<std::int32_t>(
                  1, "g (float[2] x = {1.5, 2}) => (int32 y) { y = Cast <to = \"INT32\"> (x) }"),
              ElementsAre(1, 2));
  refused(1, "g (float[2] x) => (float y) { y = Cast <to = \"float\"> (x) }",
          "casts to 'float', needs the name of a type, such as FLOAT");
}

TEST(OnnxOldSets, NegativeIndicesOfOneHotChooseNothing) {
  const std::string text =
      "g (int64[2] x = {-1, 1}, int64[1] d = {3}, float[2] v = {0, 1}) => (float y) { y = OneHot (x, d, v) }";
  EXPECT_THAT(values_in_set(9, text), ElementsAre(0, 0, 0, 0, 1, 0));
  EXPECT_THAT(values_in_set(11, text), ElementsAre(0, 0, 1, 0, 1, 0));
}

TEST(OnnxOldSets, DefaultsAreThoseOfTheSet) {
  const std::string selu = "g (float[1] x = {1}) => (float y) { y = Selu (x) }";
  EXPECT_THAT(values_in_set(1, selu), ElementsAre(1.0507F));
  EXPECT_THAT(values_in_set(6, selu), ElementsAre(1.05070102214813232421875F));
  const std::string infinite = "g (float[1] x = {0}) => (float y) { q = Log (x) y = Clip (q) }";
  EXPECT_THAT(values_in_set(6, infinite), ElementsAre(std::numeric_limits<float>::lowest()));
  EXPECT_THAT(values_in_set(11, infinite), ElementsAre(-std::numeric_limits<float>::infinity()));
}

TEST(OnnxOldSets, TheFirstPadHasPaddings) {
  EXPECT_THAT(values_in_set(1,
                            "g (float[2] x = {1, 2}) => (float y) { y = Pad <paddings = [1, 0], value = 7.0> "
                            "(x) }"),
              ElementsAre(7, 1, 2));
}

/// The transform of 1, 2, 3, 4 is 10, -2 + 2i, -2, -2 - 2i.
TEST(OnnxTransforms, AnInverseOfOneSideIsReal) {
  const std::string x = "float[1,3,2] x = {10, 0, -2, 2, -2, 0}";
  EXPECT_THAT(
      values_in_set(17, "g (" + x + ") => (float y) { y = DFT <axis = 1, inverse = 1, onesided = 1> (x) }"),
      Pointwise(FloatNear(1e-5F), std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(shape_of(20,
                     "g (float[1,3,2] x, int64 n = {5}) => (float y) { y = DFT <inverse = 1, onesided = 1> "
                     "(x, n) }"),
            (graph::Shape{1, 5, 1}));
  refused(20, "g (float[1,3,2] x) => (float y) { y = DFT <onesided = 1> (x) }",
          "has onesided = 1 and data of 2 components, needs 1");
}

TEST(OnnxRange, IntegersAreCountedAsIntegers) {
  EXPECT_THAT(
      values_in_set<std::int64_t>(11,
                                  "g (int64 a = {9007199254740993}, int64 b = {9007199254740995}, int64 "
                                  "d = {1}) => (int64 y) { y = Range (a, b, d) }"),
      ElementsAre(9007199254740993, 9007199254740994));
  EXPECT_THAT(values_in_set<std::int64_t>(
                  11,
                  "g (int64 a = {9223372036854775807}, int64 b = {-9223372036854775807}, int64 d = "
                  "{-9223372036854775807}) => (int64 y) { y = Range (a, b, d) }"),
              ElementsAre(9223372036854775807, 0));
}

TEST(OnnxRange, RealsAreCountedInTheirType) {
  EXPECT_THAT(
      values_in_set(11,
                    "g (float a = {0.1}, float b = {0.4}, float d = {0.1}) => (float y) { y = Range (a, "
                    "b, d) }"),
      ElementsAre(0.1F, FloatEq(0.2F), FloatEq(0.3F), FloatEq(0.4F)));
}

/// One step of an LSTM of one element whose gates i, o, f are 1 and whose cell input is -1: the second and
/// third functions see -1 and c.
TEST(OnnxRecurrent, ParametersGoToTheActivationsThatHaveThem) {
  const auto text = [](const std::string& attributes) {
    return "g (float[1,1,1] x = {1}, float[1,4,1] w = {40, 40, 40, -1}, float[1,4,1] r = {0, 0, 0, 0}) => "
           "(float h) { y, h = LSTM <hidden_size = 1, activations = [\"Sigmoid\", \"LeakyRelu\", "
           "\"LeakyRelu\"]" +
           attributes + "> (x, w, r) }";
  };
  EXPECT_THAT(values_in_set(14, text(", activation_alpha = [0.5, 1.0]")), ElementsAre(FloatEq(-0.5F)));
  EXPECT_THAT(values_in_set(14, text(", activation_alpha = [0.5]")), ElementsAre(FloatEq(-0.005F)));
  const std::string gru =
      "g (float[1,1,1] x = {1}, float[1,3,1] w = {0, 0, 1}, float[1,3,1] r = {0, 0, 0}) => (float h) { y, h "
      "= "
      "GRU <hidden_size = 1, activations = [\"Relu\", \"HardSigmoid\"], activation_beta = [0.25]> (x, w, r) "
      "}";
  EXPECT_THAT(values_in_set(14, gru), ElementsAre(FloatEq(0.45F)));
}

TEST(OnnxRecurrent, AHiddenSizeOtherThanTheWeightsIsRefused) {
  refused(14,
          "g (float[1,1,1] x, float[1,1,1] w, float[1,1,1] r) => (float h) { y, h = RNN <hidden_size = 2> "
          "(x, w, r) }",
          "has hidden_size 2 and weights for one of 1");
}

/// Coupled gates leave the products of the forget gate unread.
TEST(OnnxRecurrent, WhatNoExpressionReadsIsNoInputOfIt) {
  const graph::Graph g = graph_in_set(
      14,
      "g (float[1,1,2] x, float[1,8,2] w, float[1,8,2] r) => (float h) { y, h = LSTM <hidden_size "
      "= 2, input_forget = 1> (x, w, r) }");
  for (const graph::Node& n : g.nodes)
    if (const auto* map = std::get_if<graph::Map>(&n.op); map != nullptr && map->function == "Cell")
      EXPECT_EQ(n.inputs.size(), 4U);  // gates i and c, the cell, the peephole of i
}

TEST(OnnxQuantisation, ZerosAloneHaveScaleOne) {
  const std::string text =
      "g (float[2] x = {0, 0}) => (uint8 y, float s, uint8 z) { y, s, z = DynamicQuantizeLinear (x) }";
  EXPECT_THAT(values_in_set<std::uint8_t>(11, text, 0), ElementsAre(0, 0));
  EXPECT_THAT(values_in_set(11, text, 1), ElementsAre(1));
  EXPECT_THAT(values_in_set<std::uint8_t>(11, text, 2), ElementsAre(0));
}

TEST(OnnxQuantisation, NewerSetsHaveSixteenBits) {
  EXPECT_THAT(
      values_in_set<std::uint16_t>(21,
                                   "g (float[3] x = {-100, 1, 40000}, float s = {0.5}, uint16 z = {100}) "
                                   "=> (uint16 y) { y = QuantizeLinear (x, s, z) }"),
      ElementsAre(0, 102, 65535));
  EXPECT_THAT(
      values_in_set(21,
                    "g (int16[2] x = {-300, 300}, float s = {0.5}) => (float y) { y = DequantizeLinear "
                    "(x, s) }"),
      ElementsAre(-150, 150));
}

}  // namespace
}  // namespace vdla::import
