// SPDX-License-Identifier: Apache-2.0
// Operators that few networks have: experiments of ONNX's first sets, bits, windows and tables, layers over a
// sequence with state. Graphs of constants, which the importer computes; values by hand.
#include "tests/compiler/import/onnx_text.h"

namespace vdla::import {
namespace {

using ::testing::ElementsAre;
using testing::near;
using testing::refused;
using testing::shape_of;
using testing::values_in_set;

/// A graph of one node with output y.
std::string node(const std::string& node, const std::string& constants, const std::string& type = "float") {
  return "g (" + constants + ") => (" + type + " y) { y = " + node + " }";
}

TEST(OnnxExperiments, ParametersAreAttributes) {
  const std::string x = "float[2] x = {1, 2}";
  EXPECT_THAT(values_in_set(1, node("Affine <alpha = 2.0, beta = 1.0> (x)", x)), ElementsAre(3, 5));
  EXPECT_THAT(values_in_set(1, node("Scale <scale = 3.0> (x)", x)), ElementsAre(3, 6));
  EXPECT_THAT(values_in_set(1, node("ScaledTanh <alpha = 2.0, beta = 0.5> (x)", x)),
              ElementsAre(near(0.9242343F), near(1.5231884F)));
}

TEST(OnnxExperiments, SoftplusOfLargeNumbersIsFinite) {
  EXPECT_THAT(values_in_set(1, node("ParametricSoftplus <alpha = 2.0, beta = 1.0> (x)",
                                    "float[3] x = {0, 1000, -1000}")),
              ElementsAre(near(1.3862944F), 2000, 0));
}

TEST(OnnxExperiments, ImagesAreScaledByChannel) {
  const std::string x = "float[1,2,1,1] x = {1, 2}";
  EXPECT_THAT(values_in_set(1, node("ImageScaler <scale = 2.0, bias = [10.0, 20.0]> (x)", x)),
              ElementsAre(12, 24));
  refused(1, node("ImageScaler <scale = 2.0, bias = [10.0]> (x)", x),
          "has a bias of 1 numbers for 2 channels, needs one for each");
}

/// The border is left, top, right, bottom.
TEST(OnnxExperiments, ImagesAreCropped) {
  const std::string x = "float[1,1,2,3] x = {1, 2, 3, 4, 5, 6}";
  EXPECT_THAT(values_in_set(1, node("Crop <border = [1, 0, 1, 1]> (x)", x)), ElementsAre(2));
  EXPECT_THAT(values_in_set(1, node("Crop <border = [1, 0, 0, 0], scale = [2, 1]> (x)", x)),
              ElementsAre(2, 5));
  refused(1, node("Crop <border = [2, 0, 1, 0]> (x)", x), "has height and width [2, 0], needs 2 positive");
}

TEST(OnnxExperiments, LaterSetsDoNotHaveThem) {
  refused(10, node("Affine (x)", "float[1] x"), "Affine belongs to operator sets 1 to 9");
}

TEST(OnnxBits, AreCombined) {
  const std::string both = "int32[3] a = {12, -1, 5}, int32[3] b = {10, 3, -8}";
  const auto values = [](const std::string& text) { return values_in_set<std::int32_t>(18, text); };
  EXPECT_THAT(values(node("BitwiseAnd (a, b)", both, "int32")), ElementsAre(8, 3, 0));
  EXPECT_THAT(values(node("BitwiseOr (a, b)", both, "int32")), ElementsAre(14, -1, -3));
  EXPECT_THAT(values(node("BitwiseXor (a, b)", both, "int32")), ElementsAre(6, -4, -3));
  EXPECT_THAT(values(node("BitwiseNot (a)", "int32[3] a = {12, -1, 5}", "int32")), ElementsAre(-13, 0, -6));
  refused(18, node("BitwiseAnd (a, b)", "float[1] a, float[1] b"), "has input 0 of float32, needs integers");
}

TEST(OnnxBits, KeepTheirPlacesInACast) {
  EXPECT_THAT(
      values_in_set<std::uint32_t>(26, node("BitCast <to = 12> (x)", "int32[2] x = {-1, 7}", "uint32")),
      ElementsAre(4294967295U, 7U));
  EXPECT_THAT(values_in_set<std::int32_t>(26, node("BitCast <to = 6> (x)", "float[1] x = {1}", "int32")),
              ElementsAre(0x3f800000));
  refused(26, node("BitCast <to = 6> (x)", "float[1] x", "int32"), "when the model runs, needs integers");
  refused(26, node("BitCast <to = 7> (x)", "int32[1] x", "int64"), "needs a type of as many bytes");
}

TEST(OnnxCumProd, ProductsGoOnAlongTheAxis) {
  const auto text = [](const std::string& attributes) {
    return node("CumProd " + attributes + "(x, a)", "float[4] x = {1, 2, 3, 4}, int64 a = {0}");
  };
  EXPECT_THAT(values_in_set(26, text("")), ElementsAre(1, 2, 6, 24));
  EXPECT_THAT(values_in_set(26, text("<exclusive = 1> ")), ElementsAre(1, 1, 2, 6));
  EXPECT_THAT(values_in_set(26, text("<reverse = 1> ")), ElementsAre(24, 24, 12, 4));
  EXPECT_THAT(values_in_set(26, text("<exclusive = 1, reverse = 1> ")), ElementsAre(24, 12, 4, 1));
}

TEST(OnnxLpNormalization, DividesByTheNormAndLeavesZeros) {
  const std::string x = "float[2,2] x = {3, -4, 0, 0}";
  EXPECT_THAT(values_in_set(22, node("LpNormalization (x)", x)), ElementsAre(near(0.6F), near(-0.8F), 0, 0));
  EXPECT_THAT(values_in_set(22, node("LpNormalization <p = 1, axis = 0> (x)", x)), ElementsAre(1, -1, 0, 0));
  refused(22, node("LpNormalization <p = 3> (x)", x), "has p 3, needs 1 or 2");
}

TEST(OnnxCenterCropPad, TheOddElementIsBehind) {
  const auto text = [](const std::string& extent) {
    return node("CenterCropPad (x, s)", "float[4] x = {1, 2, 3, 4}, int64[1] s = {" + extent + "}");
  };
  EXPECT_THAT(values_in_set(18, text("2")), ElementsAre(2, 3));
  EXPECT_THAT(values_in_set(18, text("3")), ElementsAre(1, 2, 3));
  EXPECT_THAT(values_in_set(18, text("7")), ElementsAre(0, 1, 2, 3, 4, 0, 0));
}

TEST(OnnxPad, WrapsAroundFromSet19On) {
  const std::string text =
      node("Pad <mode = \"wrap\"> (x, p)", "float[3] x = {1, 2, 3}, int64[2] p = {2, 4}");
  EXPECT_THAT(values_in_set(19, text), ElementsAre(2, 3, 1, 2, 3, 1, 2, 3, 1));
  refused(18, text, "has mode 'wrap'");
  refused(19, node("Pad <mode = \"wrap\"> (x, p)", "float[0] x = {}, int64[2] p = {2, 4}"),
          "pads dimension 0 of 0 to nothing");
}

TEST(OnnxCol2Im, OverlappingWindowsAddUp) {
  const auto text = [](const std::string& windows) {
    return node("Col2Im (x, i, b)", "float[1,4," + windows +
                                        "] x = {1, 2, 3, 4, 5, 6, 7, 8}, int64[2] i = {2, 3}, int64[2] b = "
                                        "{2, 2}");
  };
  EXPECT_THAT(values_in_set(18, text("2")), ElementsAre(1, 5, 4, 5, 13, 8));
  refused(18, node("Col2Im (x, i, b)", "float[1,4,3] x, int64[2] i = {2, 3}, int64[2] b = {2, 2}"),
          "needs N, channels times 4 taps, 2 windows");
  refused(18, node("Col2Im (x, i, b)", "float x, int64[2] i = {2, 3}, int64[2] b = {2, 2}"),
          "needs at least 3 dimensions");
}

TEST(OnnxTensorScatter, TheUpdateBeginsAtItsIndex) {
  const auto text = [](const std::string& attributes, const std::string& index) {
    return node("TensorScatter " + attributes + "(p, u, w)",
                "float[1,3,1] p = {1, 2, 3}, float[1,2,1] u = {10, 20}, int64[1] w = {" + index + "}");
  };
  EXPECT_THAT(values_in_set(24, text("", "1")), ElementsAre(1, 10, 20));
  EXPECT_THAT(values_in_set(24, text("<mode = \"circular\"> ", "2")), ElementsAre(20, 2, 10));
}

TEST(OnnxGridSample, PicturesMayHaveDepth) {
  const auto text = [](const std::string& mode) {
    return node("GridSample <align_corners = 1, mode = \"" + mode + "\"> (x, p)",
                "float[1,1,1,2,2] x = {1, 3, 5, 11}, float[1,1,1,1,3] p = {0, 0, 0}");
  };
  EXPECT_THAT(values_in_set(20, text("linear")), ElementsAre(5));
  refused(20, text("cubic"), "has mode cubic for three dimensions");
}

std::string deformed(const std::string& offset, const std::string& more = "", const std::string& input = "") {
  return node(
      "DeformConv (x, w, o" + input + ")",
      "float[1,1,2,2] x = {1, 2, 3, 4}, float[1,1,1,1] w = {2}, float[1,2,2,2] o = {" + offset + "}" + more);
}

/// Offsets of all points along y come first. What lies outside of the picture counts as zero.
TEST(OnnxDeformConv, TapsLieBetweenElements) {
  EXPECT_THAT(values_in_set(19, deformed("0.5, 0.5, 0.5, 0.5, 0, 0, 0, 0")), ElementsAre(4, 6, 3, 4));
  EXPECT_THAT(values_in_set(19, deformed("0, 0, 0, 0, 0.25, 0.25, 0.25, 0.25")), ElementsAre(2.5, 3, 6.5, 6));
}

TEST(OnnxDeformConv, TheMaskWeighsTaps) {
  EXPECT_THAT(values_in_set(19, deformed("0, 0, 0, 0, 0, 0, 0, 0",
                                         ", float[1] b = {1}, float[1,1,2,2] m = {1, 2, 0, 0.5}", ", b, m")),
              ElementsAre(3, 9, 1, 5));
}

TEST(OnnxDeformConv, OtherShapesAreRefused) {
  refused(19, node("DeformConv (x, w, o)", "float[1,1,2,2] x, float[1,1,1,1] w, float[1,1,2,2] o"),
          "has offsets of 1x1x2x2, needs 1x2x2x2");
}

TEST(OnnxLinearAttention, TheStateAddsKeysTimesValues) {
  const auto text = [](const std::string& outputs, const std::string& rule, const std::string& more,
                       const std::string& inputs) {
    return "g (float[1,2,1] q = {1, 2}, float[1,2,1] k = {1, 1}, float[1,2,1] v = {3, 5}" + more +
           ") => (float y) { " + outputs + " = LinearAttention <q_num_heads = 1, kv_num_heads = 1, " +
           "scale = 1.0, update_rule = \"" + rule + "\"> (q, k, v" + inputs + ") }";
  };
  EXPECT_THAT(values_in_set(27, text("y, s", "linear", "", "")), ElementsAre(3, 16));
  EXPECT_THAT(values_in_set(27, text("s, y", "linear", "", "")), ElementsAre(8));
  // The second value is the half of what is missing: 3 + 0.5 * (5 - 3).
  EXPECT_THAT(values_in_set(27, text("s, y", "delta", ", float[1,2,1] b = {1, 0.5}", ", , , b")),
              ElementsAre(4));
  refused(27, text("y, s", "gated", "", ""), "needs input decay where it is gated");
}

TEST(OnnxCausalConvWithState, ThePastIsBeforeTheFirstElement) {
  const auto text = [](const std::string& outputs, const std::string& past, const std::string& input) {
    return "g (float[1,1,3] x = {1, 2, 3}, float[1,1,2] w = {10, 1}" + past + ") => (float y) { " + outputs +
           " = CausalConvWithState (x, w" + input + ") }";
  };
  EXPECT_THAT(values_in_set(27, text("y, s", "", "")), ElementsAre(1, 12, 23));
  EXPECT_THAT(values_in_set(27, text("y, s", ", float[1,1,1] p = {4}", ", , p")), ElementsAre(41, 12, 23));
  EXPECT_THAT(values_in_set(27, text("s, y", "", "")), ElementsAre(3));
}

std::string group_query(const std::string& attributes, const std::string& constants, std::string inputs,
                        const std::string& outputs = "y, pk, pv") {
  return "g (" + constants + ") => (float y) { " + outputs +
         " = com.microsoft.GroupQueryAttention <num_heads = 1, kv_num_heads = 1" + attributes + "> (" +
         std::move(inputs) + ") }";
}

const std::string kPrompt =
    "float[1,3,1] q = {0, 0, 0}, float[1,3,1] k = {1, 2, 3}, float[1,3,1] v = {10, 30, 50}, int32[1] e = "
    "{2}, int32 n = {3}";

TEST(MicrosoftGroupQueryAttention, AQueryOfAPromptSeesTheKeysUpToItself) {
  EXPECT_THAT(values_in_set(13, group_query("", kPrompt, "q, k, v, , , e, n")),
              ElementsAre(near(10), near(20), near(30)));
  EXPECT_THAT(values_in_set(13, group_query(", local_window_size = 2", kPrompt, "q, k, v, , , e, n")),
              ElementsAre(near(10), near(20), near(40)));
}

TEST(MicrosoftGroupQueryAttention, KeysOfEarlierRunsComeFirst) {
  const std::string constants =
      "float[1,1,1] q = {0}, float[1,1,1] k = {2}, float[1,1,1] v = {30}, float[1,1,2,1] pk = {1, 9}, "
      "float[1,1,2,1] pv = {10, 90}, int32[1] e = {1}, int32 n = {3}";
  const std::string inputs = "q, k, v, pk, pv, e, n";
  // The sequence has one key in a past of two: the present one is number 1.
  EXPECT_THAT(values_in_set(13, group_query("", constants, inputs, "y, ok, ov")), ElementsAre(near(20)));
  EXPECT_THAT(values_in_set(13, group_query("", constants, inputs, "o, ok, y")), ElementsAre(10, 30, 0));
}

/// The query turns by a quarter at place 1, and so does the key there.
TEST(MicrosoftGroupQueryAttention, QueriesAndKeysAreRotated) {
  const std::string constants =
      "float[1,2,6] x = {0, 0, 1, 2, 0, 0, 0, 0, 3, 4, 0, 0}, int32[1] e = {1}, int32 n = {2}, float[2,1] c "
      "= {1, 0}, float[2,1] s = {0, 1}";
  EXPECT_THAT(
      values_in_set(13, group_query(", do_rotary = 1", constants, "x, , , , , e, n, c, s", "o, y, pv")),
      ElementsAre(1, 2, -4, 3));
}

TEST(MicrosoftGroupQueryAttention, OtherShapesAreRefused) {
  refused(13, group_query("", "float[1,3,1] q, int32[1] e = {2}, int32 n = {3}", "q, , , , , e, n"),
          "with 3 heads of query, key and value, needs a size that they divide");
  refused(13, group_query("", kPrompt + ", float[1] h", "q, k, v, , , e, n, , , , , h"), "has input 11");
}

}  // namespace
}  // namespace vdla::import
