// SPDX-License-Identifier: Apache-2.0
// Models that are wrong, or at the edge of what ONNX allows: each is refused with a message that names node,
// value and need; none of them is read beyond its end or becomes another network.
#include <gmock/gmock.h>
#include <onnx/defs/parser.h>

#include <limits>

#include "compiler/import/import.h"
#include "support/error.h"
#include "tests/compiler/import/onnx_builder.h"

namespace vdla::import {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// A graph in ONNX's text form: "g (float[2] x) => (float[2] y) { y = Relu (x) }".
graph::Graph import_text(const std::string& text, int opset = 14) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(opset);
  const auto status = onnx::OnnxParser::Parse(*model.mutable_graph(), text.c_str());
  EXPECT_TRUE(status.IsOK()) << status.ErrorMessage();
  const std::string file = model.SerializeAsString();
  return import_onnx(std::as_bytes(std::span(file)), "text.onnx");
}

struct Malformed {
  const char* name;
  const char* graph;
  const char* message;
  int opset = 14;
};

/// A loop for each of them ended `compile` by SIGSEGV.
TEST(OnnxMalformed, AModelOfAHundredThousandDimensionsIsRefused) {
  testing::OnnxModel m;
  m.input("x", std::vector<std::int64_t>(100'000, 1));
  m.node("Relu", {"x"}, "y");
  m.output("y");
  EXPECT_THAT([&] { testing::import(m); },
              ThrowsMessage<UserError>(HasSubstr("has 100000 dimensions, needs at most 64")));
}

class OnnxMalformedModel : public ::testing::TestWithParam<Malformed> {};

TEST_P(OnnxMalformedModel, IsRefused) {
  EXPECT_THAT([&] { import_text(GetParam().graph, GetParam().opset); },
              ThrowsMessage<UserError>(HasSubstr(GetParam().message)));
}

constexpr Malformed kMalformed[] = {
    // Read beyond an end, or quietly another network.
    {"TriluOfOneDimension", "g (float[3] x) => (float[3] y) { y = Trilu (x) }",
     "has input 0 of shape 3, needs at least 2 dimensions"},
    {"TransposedConvolutionWithAShortOutputShape",
     "g (float[1,1,4,4] x, float[1,1,1,1] w = {1}) => (float[1,1,8,8] y) "
     "{ y = ConvTranspose <output_shape = [8]> (x, w) }",
     "has output_shape [8], needs 2 positive numbers"},
    {"UnpoolingWithAShortKernel",
     "g (float[1,1,2,2] x, int64[1,1,2,2] i) => (float[1,1,4,4] y) "
     "{ y = MaxUnpool <kernel_shape = [2]> (x, i) }",
     "has kernel_shape [2], needs 2 positive numbers"},
    {"UnpoolingWithoutAKernel",
     "g (float[1,1,2,2] x, int64[1,1,2,2] i) => (float[1,1,4,4] y) { y = MaxUnpool (x, i) }",
     "lacks attribute 'kernel_shape', needs a list of integers"},
    {"BatchNormalizationOfOneDimension",
     "g (float[4] x, float[4] s, float[4] b, float[4] m, float[4] v) => (float[4] y) "
     "{ y = BatchNormalization (x, s, b, m, v) }",
     "has 4 elements for the channels of 4, needs 1"},
    {"BatchNormalizationOfOtherChannels",
     "g (float[2,1,3] x, float[4] s, float[4] b, float[4] m, float[4] v) => (float[2,4,3] y) "
     "{ y = BatchNormalization (x, s, b, m, v) }",
     "has 4 elements for the channels of 2x1x3, needs 1"},
    {"PermutationOfZeros", "g (float[2,3] x) => (float[2,3] y) { y = Transpose <perm = [0, 0]> (x) }",
     "has permutation 0x0, needs one of the 2 dimensions of 2x3"},
    {"ShortPermutation", "g (float[2,3] x) => (float[2,3] y) { y = Transpose <perm = [0]> (x) }",
     "has permutation 0, needs"},
    {"PermutationOutside", "g (float[2,3] x) => (float[2,3] y) { y = Transpose <perm = [5, 9]> (x) }",
     "has permutation 5x9, needs"},
    {"ConcatOfAnEmptyTensorThatDoesNotFit",
     "g (float[0,3] a, float[2,5] x) => (float[2,5] y) { y = Concat <axis = 0> (a, x) }",
     "joins 0x3 and 2x5 along axis 0"},
    {"EinsteinSumOfALetterTwice",
     "g (float[3] x) => (float[3,3] y) { y = Einsum <equation = \"a->aa\"> (x) }",
     "has output 'aa', needs letters of its inputs, each once"},
    {"AxisTwice", "g (float[3] x, int64[2] a = {1, 1}) => (float[3,1,1] y) { y = Unsqueeze (x, a) }",
     "names axis 1 twice", 13},
    // Division by what is 0.
    {"DepthToSpaceWithoutABlock",
     "g (float[1,4,2,2] x) => (float[1,1,4,4] y) { y = DepthToSpace <blocksize = 0> (x) }",
     "has blocksize [0], needs 1 positive number"},
    {"SpaceToDepthWithoutABlock",
     "g (float[1,4,2,2] x) => (float[1,1,4,4] y) { y = SpaceToDepth <blocksize = 0> (x) }",
     "has blocksize [0], needs 1 positive number"},
    {"SpaceToDepthOfANegativeBlock",
     "g (float[1,4,2,2] x) => (float[1,1,4,4] y) { y = SpaceToDepth <blocksize = -1> (x) }",
     "has blocksize [-1], needs 1 positive number"},
    {"PoolOfStrideZeroWithCeilMode",
     "g (float[1,1,4,4] x) => (float[1,1,4,4] y) "
     "{ y = MaxPool <kernel_shape = [2, 2], strides = [0, 0], ceil_mode = 1> (x) }",
     "has strides [0, 0], needs 2 positive numbers"},
    {"PoolOfStrideZeroWithSamePadding",
     "g (float[1,1,4,4] x) => (float[1,1,4,4] y) "
     "{ y = MaxPool <kernel_shape = [2, 2], strides = [0, 0], auto_pad = \"SAME_UPPER\"> (x) }",
     "has strides [0, 0], needs 2 positive numbers"},
    {"TransposedConvolutionOfNoGroup",
     "g (float[1,1,4,4] x, float[1,1,1,1] w = {1}) => (float[1,1,4,4] y) "
     "{ y = ConvTranspose <group = 0> (x, w) }",
     "has group [0], needs 1 positive number"},
    {"TransposedConvolutionWithShortStrides",
     "g (float[1,1,4,4] x, float[1,1,1,1] w = {1}) => (float[1,1,4,4] y) "
     "{ y = ConvTranspose <strides = [1]> (x, w) }",
     "has strides [1], needs 2 positive numbers"},
    {"FourierTransformWithoutAStep",
     "g (float[1,8,1] x, int64 s = {0}, int64 l = {4}) => (float[1,1,3,2] y) { y = STFT (x, s, , l) }",
     "has frame_step 0 and frame_length 4, needs positive numbers", 17},
    {"LocalResponseOfOneDimension", "g (float[4] x) => (float[4] y) { y = LRN <size = 3> (x) }",
     "has input 0 of shape 4, needs at least 2 dimensions"},
    // What only memory limits, and parts of another size.
    {"EinsteinSumOfTooManyLetters",
     "g (float[2] x) => (float[2] y) { y = Einsum <equation = \"abc...->abc\"> (x) }",
     "has input 0 of shape 2, needs at least 3 dimensions"},
    {"EinsteinSumOfANewLetter", "g (float[2] x) => (float[2,1] y) { y = Einsum <equation = \"a->az\"> (x) }",
     "has output 'az', needs letters of its inputs, each once"},
    {"HugeRange",
     "g (float[1] x, int64 a = {0}, int64 b = {1000000000000000}, int64 c = {1}) => (float[1] y) "
     "{ r = Range (a, b, c) f = Cast <to = 1> (r) y = Add (x, f) }",
     "needs at most 67108864"},
    {"HugeConstant",
     "g (float[1] x, int64[3] a = {100000, 100000, 100000}) => (float[1] y) "
     "{ r = ConstantOfShape (a) y = Add (x, r) }",
     "has shape 100000x100000x100000, needs at most 4294967296 elements"},
    // An extent that a value states is held against a bound before memory is taken for it.
    {"ConstantOfAShapeThatMemoryHasNoRoomFor",
     "g (float[1] x, int64[2] a = {16385, 16385}) => (float[1] y) { r = ConstantOfShape (a) y = Add (x, r) }",
     "computes a constant that has shape 16385x16385, needs at most 268435456 elements"},
    {"ConstantExpandedInTwoSteps",
     "g (float[1] x, int64[2] a = {1, 300000}, int64[2] b = {1000, 1}) => (float[1] y) "
     "{ r = ConstantOfShape (a) s = Expand (r, b) y = Add (x, s) }",
     "computes a constant that has shape 1000x300000, needs at most 268435456 elements"},
    {"ExpandedConstant",
     "g (float[1] x, float[1] o = {1}, int64[1] b = {268435457}) => (float[1] y) "
     "{ s = Expand (o, b) y = Add (x, s) }",
     "computes a constant that has shape 268435457, needs at most 268435456 elements"},
    {"TiledConstant",
     "g (float[1] x, float[1] o = {1}, int64[1] b = {268435457}) => (float[1] y) "
     "{ s = Tile (o, b) y = Add (x, s) }",
     "computes a constant that has shape 268435457x1, needs at most 268435456 elements"},
    {"PaddedConstant",
     "g (float[1] x, float[1] o = {1}, int64[2] b = {268435456, 0}) => (float[1] y) "
     "{ s = Pad (o, b) y = Add (x, s) }",
     "computes a constant that has shape 268435457, needs at most 268435456 elements"},
    // A mean divides by the extents along its axes, which are counted where the tensor has no element, too.
    {"MeanOfNoneAlongExtentsBeyond64Bits",
     "g (float[1,0,4,1,9223372036854775807] x) => (float[1,0,1,1,1] y) { y = GlobalAveragePool (x) }",
     "has shape 1x0x4x1x9223372036854775807, needs at most 4294967296 elements along what is not zero"},
    {"HugeExpand", "g (float[1] x, int64[1] b = {4294967297}) => (float[1] y) { y = Expand (x, b) }",
     "has shape 4294967297, needs at most 4294967296 elements"},
    {"HugeTile", "g (float[1] x, int64[1] b = {4294967297}) => (float[1] y) { y = Tile (x, b) }",
     "repeats dimension 0 of 1 4294967297 times, needs 0 to 4294967296"},
    {"HugeResize", "g (float[1] x, int64[1] s = {16777217}) => (float[1] y) { y = Resize (x, , , s) }",
     "computes a constant that has shape 16777217x4, needs at most 67108864 elements"},
    {"HugeOneHot",
     "g (int64[1] x, int64 d = {67108865}, float[2] v = {0, 1}) => (float[1,1] y) { y = OneHot (x, d, v) }",
     "computes a constant that has shape 1x67108865, needs at most 67108864 elements"},
    {"HugeUnpool",
     "g (float[1,1,1,1] x, int64[1,1,1,1] i, int64[4] s = {1, 1, 4294967297, 1}) => (float[1,1,1,1] y) "
     "{ y = MaxUnpool <kernel_shape = [1, 1]> (x, i, s) }",
     "needs at most 4294967296 elements"},
    {"HugeFourierTransform", "g (float[1,2,1] x, int64 l = {8193}) => (float[1,8193,2] y) { y = DFT (x, l) }",
     "computes a constant that has shape 8193x8193, needs at most 67108864 elements", 17},
    {"ConstantOfANegativeShape",
     "g (float[1] x, int64[2] a = {-1, -1}) => (float[1] y) { r = ConstantOfShape (a) y = Add (x, r) }",
     "has shape -1x-1, needs positive extents"},
    {"HugePadding", "g (float[2] x, int64[2] p = {1000000000000, 0}) => (float[2] y) { y = Pad (x, p) }",
     "has shape 1000000000002, needs at most 4294967296 elements"},
    {"HugeInput", "g (float[134217728,134217728,134217728] x) => (float[1] y) { y = Relu (x) }",
     "has shape 134217728x134217728x134217728, needs at most 4294967296 elements"},
    {"OneHotOfNegativeDepth",
     "g (int64[3] x, int64 d = {-3}, float[2] v = {0, 1}) => (float[3,3] y) { y = OneHot (x, d, v) }",
     "has shape 1x-3, needs positive extents"},
    {"TopKOfNoNumber",
     "g (float[4] x, int64[2] k = {1, 2}) => (float[1] y, int64[1] i) { y, i = TopK (x, k) }",
     "has a k (input 1) of 2, needs one number"},
    {"ConvolutionWithWeightsOfOneDimension",
     "g (float[1,1,4,4] x, float[1] w = {1}) => (float[1,1,4,4] y) { y = Conv (x, w) }",
     "has input 1 of shape 1, needs at least 3 dimensions"},
    {"RecurrenceOfTwoDimensions",
     "g (float[2,1,3] x, float[1,4,3] w, float[4,4] r) => (float[2,1,1,4] y) { y = RNN (x, w, r) }",
     "has input 2 of shape 4x4, needs at least 3 dimensions"},
    // Written for a version that says something new.
    {"OperatorsThatAreTooNew", "g (float[1] x) => (float[1] y) { y = Relu (x) }",
     "is written in operator set 99, needs one from 1 to 27", 99},
    {"ResizeWithAntialias",
     "g (float[1,1,4,4] x, float[4] s = {1, 1, 0.5, 0.5}) => (float[1,1,2,2] y) "
     "{ y = Resize <mode = \"linear\", antialias = 1> (x, , s) }",
     "has antialias, needs 0", 18},
    {"ResizeOfAnUnknownAspect",
     "g (float[1,1,4,4] x, int64[4] s = {1, 1, 2, 3}) => (float[1,1,2,3] y) "
     "{ y = Resize <keep_aspect_ratio_policy = \"keep\"> (x, , , s) }",
     "has keep_aspect_ratio_policy 'keep', needs stretch, not_larger or not_smaller", 18},
    {"TwoNodesWriteOneTensor", "g (float[2] x) => (float[2] y) { y = Relu (x) y = Neg (x) }",
     "Neg at node 'Neg_1' writes 'y', which an input, a constant or another node gives already"},
    {"ANodeWritesAnInput", "g (float[2] x) => (float[2] x) { x = Relu (x) }", "writes 'x', which an input"},
    {"ConcatOfNothing", "g (float[1] x) => (float[1] y) { y = Concat <axis = 0> () }",
     "has 0 inputs, Concat of operator set 14 needs 1 or more"},
    {"LengthsOfAnotherSize",
     "g (float[4,3] x, int64[1] l = {2}) => (float[4,3] y) { y = ReverseSequence (x, l) }",
     "cannot reshape 1 to 1x3"},
};

INSTANTIATE_TEST_SUITE_P(Table, OnnxMalformedModel, ::testing::ValuesIn(kMalformed),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(OnnxMalformed, QuantisedWeightsOfNoElement) {
  const auto expect_refused = [](const std::string& op, const std::vector<std::int64_t>& x,
                                 const std::vector<std::int64_t>& w, const std::string& message) {
    testing::OnnxModel m;
    m.input("x", x);
    const std::string in = m.qdq("x", 0.5, 0), weights = m.weights("w", w, {}, {0.5});
    m.node("Flatten", {weights}, "flat");
    m.node(op, {in, op == "Conv" ? weights : "flat"}, "r");
    m.output(m.qdq("r", 0.5, 0));
    EXPECT_THAT([&] { testing::import(m); }, ThrowsMessage<UserError>(HasSubstr(message)));
  };
  expect_refused("Conv", {1, 1, 4, 4}, {0, 1, 1, 1}, "computes with a tensor of no element (0x1x1x1), needs");
  expect_refused("MatMul", {1, 4}, {4, 0}, "computes with a tensor of no element (4x0), needs");
  expect_refused("MatMul", {1, 4}, {0, 4}, "computes with a tensor of no element (0x4), needs");
}

// Quantised networks took any version.
TEST(OnnxMalformed, QuantisedNetworksOfVersionsThatSayMore) {
  const auto model = [](std::int64_t version, const char* attribute, std::int64_t value) {
    testing::OnnxModel m;
    m.opset(version);
    m.input("x", {1, 4});
    m.scale("x", 0.5, 0);
    testing::OnnxModel::integer(m.node("QuantizeLinear", {"x", "x_s", "x_z"}, "x_q"), attribute, value);
    m.node("DequantizeLinear", {"x_q", "x_s", "x_z"}, "x_dq");
    m.node("Relu", {"x_dq"}, "r");
    m.output(m.qdq("r", 0.5, 0));
    return m;
  };
  EXPECT_NO_THROW(testing::import(model(21, "block_size", 0)));
  EXPECT_THAT([&] { testing::import(model(99, "block_size", 0)); },
              ThrowsMessage<UserError>(HasSubstr("is written in operator set 99, needs one from 1 to 27")));
  EXPECT_THAT([&] { testing::import(model(21, "block_size", 2)); },
              ThrowsMessage<UserError>(HasSubstr("has scales of shape scalar for blocks of 2")));
}

TEST(OnnxQuantised, TheTypeMayBeAnAttribute) {
  const auto zero_of = [](std::int64_t type) {
    testing::OnnxModel m;
    m.opset(21);
    m.input("x", {1, 4});
    m.scale("x", 0.5, 0);
    testing::OnnxModel::integer(m.node("QuantizeLinear", {"x", "x_s"}, "x_q"), "output_dtype", type);
    m.node("DequantizeLinear", {"x_q", "x_s"}, "x_dq");
    m.node("Relu", {"x_dq"}, "r");
    m.output(m.qdq("r", 0.5, 0));
    const graph::Graph g = testing::import(m);
    return g.tensor(g.inputs[0].tensor).quantization.zero_point.at(0);
  };
  EXPECT_EQ(zero_of(onnx::TensorProto::INT8), 0);
  EXPECT_EQ(zero_of(onnx::TensorProto::UINT8), -128);
}

TEST(OnnxText, ConcatOfEmptyTensorsAddsTheirExtents) {
  const graph::Graph g = import_text(
      "g (float[0,3] a, float[0,2] b, int64[2] x) => (int64[2] y) "
      "{ r = Concat <axis = 1> (a, b) s = Shape (r) y = Add (x, s) }");
  ASSERT_EQ(g.nodes.size(), 1u);
  EXPECT_THAT(g.tensor(g.nodes[0].inputs[1]).values<std::int64_t>(), ::testing::ElementsAre(0, 5));
}

/// Output `i` of a graph of constants, computed while it is imported.
template <class T>
std::vector<T> computed(const std::string& text, std::size_t i = 0) {
  const graph::Graph g = import_text(text);
  EXPECT_TRUE(g.nodes.empty());
  const auto values = g.tensor(g.outputs.at(i).tensor).values<T>();
  return {values.begin(), values.end()};
}

TEST(OnnxText, FourierTransformsTakeTheirAxisFromAnInputSinceVersion20) {
  const auto transform = [](const std::string& attributes, const std::string& inputs, int opset) {
    const graph::Graph g =
        import_text("g (float[1,2,2,1] x = {1, 2, 3, 5}, int64 a = {2}) => (float[1,2,2,2] y) { y = DFT " +
                        attributes + " (" + inputs + ") }",
                    opset);
    const auto values = g.tensor(g.outputs[0].tensor).values<float>();
    return std::vector<float>(values.begin(), values.end());
  };
  const auto along_rows = transform("<axis = 2>", "x", 17);
  EXPECT_THAT(along_rows, ::testing::Pointwise(::testing::FloatNear(1e-6F), {3, 0, -1, 0, 8, 0, -2, 0}));
  EXPECT_EQ(transform("", "x, , a", 20), along_rows);
  EXPECT_EQ(transform("", "x", 20), along_rows);
}

TEST(OnnxText, NotANumberIsSortedLast) {
  for (const std::string largest : {"0", "1"}) {
    const std::string text =
        "g (float[3] x = {4, -1, 9}, int64[1] k = {3}) => (float[3] y, int64[3] i) "
        "{ q = Sqrt (x) y, i = TopK <largest = " +
        largest + "> (q, k) }";
    const bool descending = largest == "1";
    EXPECT_THAT(computed<std::int64_t>(text, 1),
                ::testing::ElementsAre(descending ? 2 : 0, descending ? 0 : 2, 1));
    EXPECT_THAT(computed<float>(text),
                ::testing::ElementsAre(descending ? 3 : 2, descending ? 2 : 3, ::testing::IsNan()));
  }
}

TEST(OnnxText, ReluAndClipKeepWhatIsNoNumber) {
  const auto expected = ::testing::ElementsAre(2, ::testing::IsNan(), 0);
  EXPECT_THAT(computed<float>("g (float[3] x = {4, -1, 0}) => (float[3] y) { q = Sqrt (x) y = Relu (q) }"),
              expected);
  EXPECT_THAT(computed<float>("g (float[3] x = {4, -1, 0}, float a = {0}, float b = {2}) => (float[3] y) "
                              "{ q = Sqrt (x) y = Clip (q, a, b) }"),
              expected);
}

TEST(OnnxText, TheLogarithmOfNoSumIsMinusInfinity) {
  EXPECT_THAT(
      computed<float>("g (float[2] x = {0, 0}) => (float[1] y) { q = Log (x) y = ReduceLogSumExp (q) }"),
      ::testing::ElementsAre(-std::numeric_limits<float>::infinity()));
}

TEST(OnnxText, APoolDropsTheWindowThatBeginsInItsPadding) {
  const graph::Graph g = import_text(
      "g (float[1,1,3,3] x) => (float[1,1,1,1] y) "
      "{ y = MaxPool <kernel_shape = [2, 2], strides = [3, 3], ceil_mode = 1> (x) }");
  EXPECT_EQ(g.outputs[0].model_shape, (graph::Shape{1, 1, 1, 1}));
}

/// What the sums of the windows are divided by.
std::vector<float> counts(const std::string& padding) {
  const graph::Graph g = import_text(
      "g (float[1,1,2,2] x) => (float[1,1,2,2] y) "
      "{ y = AveragePool <kernel_shape = [2, 2], count_include_pad = 1, " +
      padding + "> (x) }");
  const auto values = g.tensor(g.nodes.back().inputs[1]).values<float>();
  return {values.begin(), values.end()};
}

TEST(OnnxText, AnAverageCountsSamePaddingLikeWrittenPadding) {
  EXPECT_EQ(counts("auto_pad = \"SAME_UPPER\""), counts("pads = [0, 0, 1, 1]"));
  EXPECT_THAT(counts("pads = [0, 0, 1, 1]"), ::testing::Each(4));
}

TEST(OnnxMalformed, SeveralScalesOfOneNumberAreRefused) {
  testing::OnnxModel m;
  m.input("x", {});
  m.input("s", {3});  // known when it runs only: constant ones are looked at elsewhere
  m.node("QuantizeLinear", {"x", "s"}, "y");
  m.output("y", onnx::TensorProto::UINT8);
  EXPECT_THAT([&] { testing::import(m); },
              ThrowsMessage<UserError>(HasSubstr("has 3 scales or zero points for a value of 0 dimensions")));
}

}  // namespace
}  // namespace vdla::import
