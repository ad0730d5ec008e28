// SPDX-License-Identifier: Apache-2.0
// Operators of the domain com.microsoft: graphs of constants, which the importer computes; values by hand.
#include "tests/compiler/import/onnx_text.h"

namespace vdla::import {
namespace {

using ::testing::ElementsAre;
using testing::near;
using testing::refused;
using testing::shape_of;
using testing::values_in_set;

/// A graph of one node of com.microsoft with output y: "Gelu (x)", "FusedMatMul <transA = 1> (a, b)".
std::string of_constants(const std::string& node, const std::string& constants,
                         const std::string& type = "float", const std::string& outputs = "y") {
  std::string declared;
  for (const char c : outputs) declared += c == ',' ? ", " + type + " " : std::string(1, c);
  return "g (" + constants + ") => (" + type + " " + declared + ") { " + outputs + " = com.microsoft." +
         node + " }";
}

TEST(MicrosoftDomain, OtherOperatorsAndDomainsAreRefusedByName) {
  refused(13, of_constants("Gellu (x)", "float[1] x"),
          "Gellu at node 'Gellu_0' is not supported: this kit does not know 'Gellu' of the domain "
          "com.microsoft, did "
          "you mean 'Gelu'?");
  refused(13, "g (float[1] x) => (float y) { y = com.example.Gelu (x) }",
          "is not supported: it belongs to domain 'com.example', needs the operators of ai.onnx, "
          "com.microsoft or QONNX");
  // ONNX defines this operator by others, but not that of another domain.
  refused(13, "g (float[1,2] x) => (float y) { y = com.example.MeanVarianceNormalization (x) }",
          "belongs to domain 'com.example'");
}

// The table has no types: real functions of integers ended as a fault of the kit.
TEST(MicrosoftDomain, RealFunctionsOfIntegersAreRefused) {
  for (const std::string node : {"FastGelu (x)", "Gelu (x)", "QuickGelu (x)"})
    EXPECT_THROW(testing::graph_in_set(13, of_constants(node, "int32[4] x", "int32")), UserError) << node;
}

TEST(MicrosoftDomain, NodesAreHeldAgainstTheTable) {
  refused(13, of_constants("Gelu <approximate = \"tanh\"> (x)", "float[1] x"),
          "has attribute 'approximate', which Gelu of com.microsoft does not have; it has none");
  refused(13, of_constants("BiasGelu (x)", "float[1] x"), "has 1 input, BiasGelu of com.microsoft needs 2");
  refused(13, of_constants("Attention (x, w)", "float[1,1,1] x, float[1,3] w"),
          "lacks attribute 'num_heads'");
}

/// A model without the domain's operators has those of its own set under the same names.
TEST(MicrosoftDomain, NamesOfBothDomainsStayApart) {
  refused(13, "g (float[1] x) => (float y) { y = Gelu (x) }", "Gelu belongs to operator sets from 20 on");
  EXPECT_THAT(values_in_set(13, of_constants("Gelu (x)", "float[1] x = {1}")), ElementsAre(near(0.8413447F)));
}

TEST(MicrosoftActivations, ExactAndApproximateGelu) {
  const std::string x = "float[3] x = {-1, 0, 2}", bias = ", float[3] b = {2, 0, 0}";
  EXPECT_THAT(values_in_set(13, of_constants("Gelu (x)", x)),
              ElementsAre(near(-0.1586553F), 0, near(1.9544997F)));
  EXPECT_THAT(values_in_set(13, of_constants("BiasGelu (x, b)", x + bias)),
              ElementsAre(near(0.8413447F), 0, near(1.9544997F)));
  EXPECT_THAT(values_in_set(13, of_constants("FastGelu (x)", x)),
              ElementsAre(near(-0.1588080F), 0, near(1.9545977F)));
  EXPECT_THAT(values_in_set(13, of_constants("FastGelu (x, b)", x + bias)),
              ElementsAre(near(0.8411920F), 0, near(1.9545977F)));
  refused(13, of_constants("BiasGelu (x, b)", x + ", float[1] b"),
          "has a bias of 1 for 3, needs one element for each of the last dimension");
}

TEST(MicrosoftActivations, QuickGeluIsASwish) {
  EXPECT_THAT(values_in_set(13, of_constants("QuickGelu (x)", "float[2] x = {0, 1}")),
              ElementsAre(0, near(0.8457958F)));
  EXPECT_THAT(values_in_set(13, of_constants("QuickGelu <alpha = 1.0> (x)", "float[2] x = {0, 1}")),
              ElementsAre(0, near(0.7310586F)));
}

TEST(MicrosoftLayers, FusedMatMulTransposesAndScales) {
  const std::string ab = "float[2,1] a = {1, 2}, float[1,2] b = {3, 4}";
  EXPECT_THAT(values_in_set(13, of_constants("FusedMatMul (a, b)", ab)), ElementsAre(3, 4, 6, 8));
  EXPECT_THAT(values_in_set(13, of_constants("FusedMatMul <transA = 1, transB = 1, alpha = 0.5> (a, b)", ab)),
              ElementsAre(5.5));
  refused(13, of_constants("FusedMatMul <transBatchA = 1> (a, b)", ab), "has transBatchA 1, needs 0");
}

/// The product is -2 and 4.
const std::string kLine =
    "float[1,1,2] x = {-1, 2}, float[1,1,1] w = {2}, float[1] b = {1}, float[1,1,2] z = {0, 1}";

TEST(MicrosoftLayers, AFunctionFollowsAConvolution) {
  EXPECT_THAT(values_in_set(13, of_constants("FusedConv (x, w)", kLine)), ElementsAre(-2, 4));
  EXPECT_THAT(values_in_set(13, of_constants("FusedConv <activation = \"Relu\"> (x, w, b, z)", kLine)),
              ElementsAre(0, 6));
  EXPECT_THAT(values_in_set(
                  13, of_constants("FusedConv <activation = \"LeakyRelu\", activation_params = [0.5]> (x, w)",
                                   kLine)),
              ElementsAre(-1, 4));
  EXPECT_THAT(
      values_in_set(
          13,
          of_constants("FusedConv <activation = \"Clip\", activation_params = [-1.0, 3.0]> (x, w)", kLine)),
      ElementsAre(-1, 3));
  EXPECT_THAT(
      values_in_set(
          13, of_constants("FusedConv <activation = \"HardSigmoid\", activation_params = [0.25, 0.5]> (x, w)",
                           kLine)),
      ElementsAre(0, 1));
  refused(13, of_constants("FusedConv <activation = \"Clip\", activation_params = [1.0]> (x, w)", kLine),
          "has activation Clip with 1 parameters, needs 2");
  refused(13, of_constants("FusedConv <activation = \"Gelu\"> (x, w)", kLine),
          "has activation 'Gelu', needs Relu, Tanh, Sigmoid, LeakyRelu, Clip or HardSigmoid");
  refused(13, of_constants("FusedConv (x, w, , y0)", kLine + ", float[1,1,1] y0 = {1}"),
          "has a Z of 1x1x1, needs the type and shape of the result, 1x1x2");
}

TEST(MicrosoftLayers, AFunctionFollowsAGemm) {
  const std::string ab = "float[2,1] a = {-1, 2}, float[1,1] b = {2}, float[1] c = {2}";
  EXPECT_THAT(values_in_set(13, of_constants("FusedGemm <activation = \"Relu\", beta = 0.5> (a, b, c)", ab)),
              ElementsAre(0, 5));
  EXPECT_THAT(
      values_in_set(
          13, of_constants("FusedGemm <activation = \"LeakyRelu\", activation_alpha = 0.5> (a, b)", ab)),
      ElementsAre(-1, 4));
  refused(13, of_constants("FusedGemm <activation = \"LeakyRelu\"> (a, b)", ab),
          "has activation LeakyRelu with 0 parameters, needs 1");
}

const std::string kSkip = "float[1,1,2] x = {1, 2}, float[1,2] s = {0, 1}, float[2] g = {1, 2}";

TEST(MicrosoftNormalization, ASumIsNormalised) {
  const std::string node = "SkipLayerNormalization <epsilon = 0.0> (x, s, g";
  EXPECT_THAT(values_in_set(13, of_constants(node + ")", kSkip)), ElementsAre(-1, 2));
  const std::string more = kSkip + ", float[2] b = {0, 1}, float[2] c = {0, 2}";
  EXPECT_THAT(values_in_set(13, of_constants(node + ", b, c)", more)), ElementsAre(-1, 3));
  const std::string all = of_constants(node + ", b, c)", more, "float", "y,m,d,t");
  EXPECT_THAT(values_in_set(13, all, 1), ElementsAre(3));
  EXPECT_THAT(values_in_set(13, all, 2), ElementsAre(0.5));
  EXPECT_THAT(values_in_set(13, all, 3), ElementsAre(1, 5));
  refused(13, of_constants(node + ")", "float[1,1,2] x, float[3] s, float[2] g"),
          "has input 1 ('s') of 3, needs a shape that broadcasts to 1x1x2");
  refused(13, of_constants(node + ")", "float[1,1,2] x, float[2] s, float[1] g"),
          "has a gamma (input 2) of float32 1, needs float32 2");
}

TEST(MicrosoftNormalization, ASumIsDividedByItsRoot) {
  const std::string node = "SkipSimplifiedLayerNormalization <epsilon = 0.0> (x, s, g, b)";
  const std::string inputs = kSkip + ", float[2] b = {2, 1}";
  EXPECT_THAT(values_in_set(13, of_constants(node, inputs)), ElementsAre(near(0.8485281F), near(2.2627417F)));
  refused(13, of_constants(node, inputs, "float", "y,m"), "gives its mean (output 1)");
}

/// The node has no domain: ONNX Runtime's tools write it so.
TEST(MicrosoftNormalization, SimplifiedLayerNormalizationIsInOnnxsDomain) {
  const std::string text =
      "g (float[2] x = {3, 4}, float[2] s = {1, 2}) => (float y, float i) { y, i = "
      "SimplifiedLayerNormalization "
      "<epsilon = 0.0> (x, s) }";
  EXPECT_THAT(values_in_set(13, text), ElementsAre(near(0.8485281F), near(2.2627417F)));
  EXPECT_THAT(values_in_set(13, text, 1), ElementsAre(near(0.2828427F)));
}

TEST(MicrosoftNormalization, EmbeddingsAreSummedAndNormalised) {
  const std::string inputs =
      "int32[1,2] w = {1, 0}, int32[1,2] t = {0, 1}, float[2,2] a = {0, 2, 5, 1}, float[3,2] p = {0, 0, 1, "
      "1, 0, 9}, "
      "float[2,2] e = {0, 0, 0, 4}, float[2] g = {1, 1}, float[2] b = {0, 3}, int32[1,2] m = {1, 0}";
  const std::string node = "EmbedLayerNormalization <epsilon = 0.0> (w, t, a, p, e, g, b, m)";
  EXPECT_THAT(values_in_set(13, of_constants(node, inputs)), ElementsAre(1, 2, -1, 4));
  const std::string sums =
      "g (" + inputs + ") => (float y, int32 n, float s) { y, n, s = com.microsoft." + node + " }";
  EXPECT_THAT(values_in_set<std::int32_t>(13, sums, 1), ElementsAre(1));
  EXPECT_THAT(values_in_set(13, sums, 2), ElementsAre(5, 1, 1, 7));
  refused(13, of_constants("EmbedLayerNormalization (w, , a, p, e, g, b)", inputs),
          "has one of segment_ids and segment_embedding, needs both or none");
}

/// Weights that pass the data on to query and value and leave the keys 0: each query has the mean of the
/// values that it sees.
const std::string kProjection = "float[1,2,1] x = {10, 30}, float[1,3] w = {1, 0, 1}, float[3] b = {0, 0, 1}";

TEST(MicrosoftAttention, ProjectsQueriesKeysAndValues) {
  EXPECT_THAT(values_in_set(13, of_constants("Attention <num_heads = 1> (x, w)", kProjection)),
              ElementsAre(near(20), near(20)));
  EXPECT_THAT(
      values_in_set(13, of_constants("Attention <num_heads = 1, unidirectional = 1> (x, w, b)", kProjection)),
      ElementsAre(near(11), near(21)));
  EXPECT_THAT(values_in_set(13, of_constants("Attention <num_heads = 1, qkv_hidden_sizes = [1, 1, 2]> (x, w)",
                                             "float[1,1,1] x = {1}, float[1,4] w = {0, 0, 5, 6}")),
              ElementsAre(near(5), near(6)));
}

TEST(MicrosoftAttention, MasksOfFourShapes) {
  const auto masked = [](const std::string& mask) {
    return values_in_set(
        13, of_constants("Attention <num_heads = 1> (x, w, , m)", kProjection + ", int32" + mask));
  };
  EXPECT_THAT(masked("[1,2] m = {0, 1}"), ElementsAre(near(30), near(30)));
  EXPECT_THAT(masked("[1,2,2] m = {1, 0, 0, 1}"), ElementsAre(near(10), near(30)));
  EXPECT_THAT(masked("[1] m = {1}"), ElementsAre(near(10), near(10)));
  EXPECT_THAT(masked("[2] m = {2, 1}"), ElementsAre(near(30), near(30)));
  EXPECT_THROW(masked("[5] m = {1, 1, 1, 1, 1}"), UserError);
}

/// A hidden key has a score that is so much lower: e^-1.0986123 is a third.
TEST(MicrosoftAttention, TheMaskAddsAStatedNumber) {
  EXPECT_THAT(
      values_in_set(13, of_constants("Attention <num_heads = 1, mask_filter_value = -1.0986123> (x, w, , m)",
                                     kProjection + ", int32[1,2] m = {0, 1}")),
      ElementsAre(near(25), near(25)));
}

TEST(MicrosoftAttention, PastKeysAndValuesComeFirst) {
  const std::string text = of_constants("Attention <num_heads = 1> (x, w, , , p)",
                                        kProjection + ", float[2,1,1,1,1] p = {0, 50}", "float", "y,z");
  EXPECT_THAT(values_in_set(13, text), ElementsAre(near(30), near(30)));
  EXPECT_THAT(values_in_set(13, text, 1), ElementsAre(0, 0, 0, 50, 10, 30));
}

TEST(MicrosoftAttention, OtherFormsAreRefused) {
  refused(13, of_constants("Attention <num_heads = 1, do_rotary = 1> (x, w)", kProjection),
          "has do_rotary 1, needs 0");
  refused(13, of_constants("Attention <num_heads = 1, past_present_share_buffer = 1> (x, w)", kProjection),
          "shares a buffer of past and present");
  refused(13, of_constants("Attention <num_heads = 1> (x, w)", "float[1,2,1] x, float[1,4] w"),
          "has weights of 4 columns, needs three equal parts, or qkv_hidden_sizes");
  refused(13, of_constants("Attention <num_heads = 1> (x, w, , m)", kProjection + ", int32[1,1,2,2] m"),
          "has a mask of 1x1x2x2, needs 1x2, 1x2x2, or 1 or 2 numbers");
}

const std::string kHeads = "float[1,1,1] q = {1}, float[1,2,1] k = {0, 1.0986123}, float[1,2,1] v = {10, 30}";

TEST(MicrosoftAttention, MultiHeadAttentionHasThreeInputs) {
  EXPECT_THAT(values_in_set(13, of_constants("MultiHeadAttention <num_heads = 1> (q, k, v)", kHeads)),
              ElementsAre(near(25)));
  // The bias makes the query 0 and adds 1 to each value.
  EXPECT_THAT(values_in_set(13, of_constants("MultiHeadAttention <num_heads = 1> (q, k, v, b)",
                                             kHeads + ", float[3] b = {-1, 0, 1}")),
              ElementsAre(near(21)));
  EXPECT_THAT(
      values_in_set(13, of_constants("MultiHeadAttention <num_heads = 1> (q, k, v, , m, a)",
                                     kHeads + ", int32[1,2] m = {1, 1}, float[1,1,1,2] a = {1.0986123, 0}")),
      ElementsAre(near(20)));
  EXPECT_THAT(
      values_in_set(13,
                    of_constants("MultiHeadAttention <num_heads = 1> (q, k, v)",
                                 "float[1,1,1] q = {1}, float[1,1,2,1] k = {0, 1.0986123}, float[1,1,2,1] v "
                                 "= {10, 30}")),
      ElementsAre(near(25)));
}

TEST(MicrosoftAttention, MultiHeadAttentionGivesItsKeysAndValues) {
  const std::string text = of_constants(
      "MultiHeadAttention <num_heads = 1> (q, k, v, , , , p, r)",
      "float[1,1,1] q = {1}, float[1,1,1] k = {1.0986123}, float[1,1,1] v = {30}, float[1,1,1,1] p = {0}, "
      "float[1,1,1,1] r = {10}",
      "float", "y,a,b");
  EXPECT_THAT(values_in_set(13, text), ElementsAre(near(25)));
  EXPECT_THAT(values_in_set(13, text, 1), ElementsAre(0, near(1.0986123F)));
  EXPECT_THAT(values_in_set(13, text, 2), ElementsAre(10, 30));
}

TEST(MicrosoftAttention, OtherFormsOfMultiHeadAttentionAreRefused) {
  refused(13, of_constants("MultiHeadAttention <num_heads = 1> (q)", "float[1,1,1,3,1] q"),
          "has a query of 1x1x1x3x1 and lacks key or value, needs query, key and value apart");
  refused(13, of_constants("MultiHeadAttention <num_heads = 1, unidirectional = 1> (q, k, v)", kHeads),
          "is unidirectional over 1 queries and 2 keys, needs as many keys as queries");
  refused(13,
          of_constants("MultiHeadAttention <num_heads = 1> (q, k, v, , , , , , n)", kHeads + ", int32[1] n"),
          "has input 8, of decoding with shared buffers, needs none");
}

/// Position 0 turns by nothing, position 1 by a quarter.
TEST(MicrosoftAttention, RotaryEmbeddingReadsTablesByPosition) {
  const std::string inputs =
      "float[1,1,2,2] x = {1, 2, 3, 4}, float[1,2,2] l = {1, 2, 3, 4}, int64[1,2] p = {1, 0}, int64[1] o = "
      "{0}, "
      "float[2,1] c = {1, 0}, float[2,1] s = {0, 1}";
  EXPECT_THAT(values_in_set(13, of_constants("RotaryEmbedding (x, p, c, s)", inputs)),
              ElementsAre(-2, 1, 3, 4));
  EXPECT_THAT(values_in_set(13, of_constants("RotaryEmbedding (l, o, c, s)", inputs)),
              ElementsAre(1, 2, -4, 3));
  refused(13, of_constants("RotaryEmbedding <scale = 2.0> (x, p, c, s)", inputs),
          "has a scale of 2.000000, needs 1");
  refused(13, of_constants("RotaryEmbedding (x, q, c, s)", inputs + ", int64[2] q = {0, 1}"),
          "has position_ids of 2, needs 1x2, or one number");
  refused(13, of_constants("RotaryEmbedding <num_heads = 1, rotary_embedding_dim = 4> (x, p, c, s)", inputs),
          "has rotary_embedding_dim 4 and tables of 1 pairs, needs twice as many elements as pairs");
}

template <class T = std::uint8_t>
std::vector<T> integers(const std::string& node, const std::string& constants,
                        const std::string& type = "uint8") {
  return values_in_set<T>(13, of_constants(node, constants, type));
}

const std::string kPair =
    "uint8[2] a = {5, 9}, float s = {0.5}, uint8 z = {1}, uint8[2] b = {4, 1}, float t = {2}, uint8 y0 = "
    "{10}";

/// a is 2 and 4, b is 6 and 0 with zero point 1, 8 and 2 without.
TEST(MicrosoftQuantized, SumsAndProducts) {
  EXPECT_THAT(integers("QLinearAdd (a, s, z, b, t, z, t, y0)", kPair), ElementsAre(14, 12));
  EXPECT_THAT(integers("QLinearAdd (a, s, z, b, t, , t)", kPair), ElementsAre(5, 3));
  EXPECT_THAT(integers("QLinearMul (a, s, z, b, t, z, t, y0)", kPair), ElementsAre(16, 10));
  EXPECT_THAT(integers("QLinearMul (a, s, z, b, t, z, s, y0)", kPair), ElementsAre(34, 10));
  refused(13, of_constants("QLinearAdd (a, s, z, b, t, w, t, y0)", kPair + ", int8 w = {0}", "uint8"),
          "has a scale of float32 and a zero point of int8 (inputs 4 and 5), needs float32 and uint8");
  refused(13, of_constants("QLinearAdd (a, u, z, b, t, z, t)", kPair + ", float[2] u = {1, 2}", "uint8"),
          "has a scale (input 1) of 2, needs one element");
}

TEST(MicrosoftQuantized, FunctionsOfAnElement) {
  const std::string x =
      "int8[3] x = {-4, 0, 4}, float s = {0.5}, int8 z = {0}, float t = {0.00390625}, int8 w = {-128}";
  EXPECT_THAT(integers<std::int8_t>("QLinearLeakyRelu <alpha = 0.5> (x, s, z, s, z)", x, "int8"),
              ElementsAre(-2, 0, 4));
  // Sigmoids 0.119203, 0.5, 0.880797 in steps of 1 / 256.
  EXPECT_THAT(integers<std::int8_t>("QLinearSigmoid (x, s, z, t, w)", x, "int8"), ElementsAre(-97, 0, 97));
}

/// e^(3 * 0.3662041) is 3, so that shares are 1 : 3, in steps of 1 / 256.
TEST(MicrosoftQuantized, SharesAlongAnAxisOrFromItOn) {
  const std::string x =
      "uint8[2,2] x = {0, 3, 5, 5}, float s = {0.3662041}, uint8 z = {0}, float t = {0.00390625}";
  EXPECT_THAT(integers("QLinearSoftmax <opset = 13> (x, s, z, t, z)", x), ElementsAre(64, 192, 128, 128));
  EXPECT_THAT(integers("QLinearSoftmax <opset = 12, axis = 1> (x, s, z, t, z)", x),
              ElementsAre(64, 192, 128, 128));
  // Powers 1, 3, 6.24 and 6.24 of all elements together.
  EXPECT_THAT(integers("QLinearSoftmax <opset = 12, axis = 0> (x, s, z, t, z)", x),
              ElementsAre(16, 47, 97, 97));
  refused(13, of_constants("QLinearSoftmax (x, s, z, t, z)", x, "uint8"), "lacks attribute 'opset'");
}

TEST(MicrosoftQuantized, MeansOfWindowsAndPictures) {
  const std::string x =
      "uint8[1,1,2,2] x = {2, 4, 6, 12}, float s = {1}, uint8 z = {0}, uint8[1,2,2,1] l = {2, 4, 6, 12}";
  EXPECT_THAT(integers("QLinearAveragePool <kernel_shape = [1, 2]> (x, s, z, s, z)", x), ElementsAre(3, 9));
  EXPECT_THAT(integers("QLinearAveragePool <kernel_shape = [2, 1], channels_last = 1> (l, s, z, s, z)", x),
              ElementsAre(4, 8));
  EXPECT_THAT(integers("QLinearGlobalAveragePool (x, s, z, s, z)", x), ElementsAre(6));
  EXPECT_EQ(
      shape_of(13, of_constants("QLinearGlobalAveragePool <channels_last = 1> (l, s, z, s, z)", x, "uint8")),
      (graph::Shape{1, 1, 1, 1}));
}

TEST(MicrosoftQuantized, PartsAreBroughtToOneQuantisation) {
  const std::string parts =
      "uint8[1] a = {3}, uint8[2] b = {3, 9}, float s = {1}, float t = {2}, uint8 z = {0}, uint8 w = {1}";
  EXPECT_THAT(integers("QLinearConcat <axis = 0> (s, z, a, s, z, b, t, w)", parts), ElementsAre(3, 4, 16));
  refused(13, of_constants("QLinearConcat <axis = 0> (s, z, a, s, z, b)", parts, "uint8"),
          "has 6 inputs, needs 2 and 3 more for each part");
}

const std::string kMatrices =
    "uint8[1,2] a = {3, 5}, float s = {0.5}, uint8 z = {1}, int8[2,2] b = {1, 2, 3, 4}, float[2] t = {1, 2}, "
    "int8[2] w = {0, 1}, int32[2] c = {2, 4}, float u = {1}, uint8 v = {10}";

/// Sums 2 * 1 + 4 * 3 = 14 and 2 * 1 + 4 * 3 = 14, steps 0.5 and 1.
TEST(MicrosoftQuantized, ProductsOfMatrices) {
  EXPECT_THAT(integers("QGemm (a, s, z, b, t, w, , u, v)", kMatrices), ElementsAre(17, 24));
  EXPECT_THAT(integers("QGemm (a, s, z, b, t, w, c, u, v)", kMatrices), ElementsAre(18, 28));
  EXPECT_THAT(values_in_set(13, of_constants("QGemm <alpha = 2.0> (a, s, z, b, t, w, c)", kMatrices)),
              ElementsAre(16, 36));
  EXPECT_THAT(values_in_set(13, of_constants("MatMulIntegerToFloat (a, b, s, t, z, w)", kMatrices)),
              ElementsAre(7, 14));
  EXPECT_THAT(values_in_set(13, of_constants("MatMulIntegerToFloat (a, b, s, t, , , f)",
                                             kMatrices + ", float[2] f = {100, 200}")),
              ElementsAre(109, 226));
  refused(13, of_constants("QGemm (a, s, z, b, f, w)", kMatrices + ", float[3] f = {1, 1, 1}"),
          "has input 4 of 3, needs one element, or one for each of 2 columns");
}

/// The range 0 to 255 has steps of 1.
TEST(MicrosoftQuantized, AMatrixIsQuantisedByItsRange) {
  const std::string inputs =
      "float[1,2] a = {255, 1.4}, int8[2,1] b = {1, 2}, float s = {0.5}, int8 z = {1}, float[1] f = {3}";
  EXPECT_THAT(values_in_set(13, of_constants("DynamicQuantizeMatMul (a, b, s)", inputs)), ElementsAre(128.5));
  EXPECT_THAT(values_in_set(13, of_constants("DynamicQuantizeMatMul (a, b, s, z, f)", inputs)),
              ElementsAre(3.5));
}

}  // namespace
}  // namespace vdla::import
