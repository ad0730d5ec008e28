// SPDX-License-Identifier: Apache-2.0
// Arithmetic, comparisons, logic, activations, matrix products, sums and transforms.
#include <limits>

#include "compiler/import/onnx_schema/schema_row.h"

namespace vdla::import::onnx_schema {
namespace {

constexpr Attribute kConsumed[] = {integers("consumed_inputs")};
constexpr Attribute kBroadcastConsumed[] = {integer("axis"), integer("broadcast", 0),
                                            integers("consumed_inputs")};
constexpr Attribute kBroadcast[] = {integer("axis"), integer("broadcast", 0)};
constexpr Attribute kBitShift[] = {required(text("direction"))};
constexpr Attribute kSignalWindow[] = {integer("output_datatype", 1), integer("periodic", 1)};
constexpr Attribute kAlpha[] = {real("alpha", 1.0F)};
constexpr Attribute kClip1[] = {integers("consumed_inputs"), real("max"), real("min")};
constexpr Attribute kClip6[] = {real("max", std::numeric_limits<float>::max()),
                                real("min", std::numeric_limits<float>::lowest())};
constexpr Attribute kCumulative[] = {integer("exclusive", 0), integer("reverse", 0)};
constexpr Attribute kDFT17[] = {integer("axis", 1), integer("inverse", 0), integer("onesided", 0)};
constexpr Attribute kDFT20[] = {integer("inverse", 0), integer("onesided", 0)};
constexpr Attribute kEinsum[] = {required(text("equation"))};
constexpr Attribute kElu[] = {real("alpha", 1.0F), integers("consumed_inputs")};
constexpr Attribute kGelu[] = {text("approximate", "none")};
constexpr Attribute kGemm1[] = {real("alpha", 1.0F), real("beta", 1.0F), integer("broadcast", 0),
                                integer("transA", 0), integer("transB", 0)};
constexpr Attribute kGemm7[] = {real("alpha", 1.0F), real("beta", 1.0F), integer("transA", 0),
                                integer("transB", 0)};
constexpr Attribute kHardSigmoid1[] = {real("alpha", 0.2F), real("beta", 0.5F), integers("consumed_inputs")};
constexpr Attribute kHardSigmoid6[] = {real("alpha", 0.2F), real("beta", 0.5F)};
constexpr Attribute kLeakyRelu1[] = {real("alpha", 0.01F), integers("consumed_inputs")};
constexpr Attribute kLeakyRelu6[] = {real("alpha", 0.01F)};
constexpr Attribute kMelWeightMatrix[] = {integer("output_datatype", 1)};
constexpr Attribute kMod[] = {integer("fmod", 0)};
constexpr Attribute kLoss[] = {integer("ignore_index"), text("reduction", "mean")};
constexpr Attribute kSTFT[] = {integer("onesided", 1)};
constexpr Attribute kSelu1[] = {real("alpha", 1.6732F), integers("consumed_inputs"), real("gamma", 1.0507F)};
constexpr Attribute kSelu6[] = {real("alpha", 1.67326319217681884765625F),
                                real("gamma", 1.05070102214813232421875F)};
constexpr Attribute kTopK1[] = {integer("axis", -1), required(integer("k"))};
constexpr Attribute kTopK11[] = {integer("axis", -1), integer("largest", 1), integer("sorted", 1)};

// Operator, first sets of its versions, attributes, inputs, outputs.
constexpr Row kMathRows[] = {
    {"Abs", {1}, kConsumed, 1, 1},
    {"Abs", {6, 13}, kNone, 1, 1},
    {"Acos", {7, 22}, kNone, 1, 1},
    {"Acosh", {9, 22}, kNone, 1, 1},
    {"Add", {1}, kBroadcastConsumed, 2, 1},
    {"Add", {6}, kBroadcast, 2, 1},
    {"Add", {7, 13, 14}, kNone, 2, 1},
    {"And", {1}, kBroadcast, 2, 1},
    {"And", {7}, kNone, 2, 1},
    {"Asin", {7, 22}, kNone, 1, 1},
    {"Asinh", {9, 22}, kNone, 1, 1},
    {"Atan", {7, 22}, kNone, 1, 1},
    {"Atanh", {9, 22}, kNone, 1, 1},
    {"BitShift", {11}, kBitShift, 2, 1},
    {"BitwiseAnd", {18}, kNone, 2, 1},
    {"BitwiseNot", {18}, kNone, 1, 1},
    {"BitwiseOr", {18}, kNone, 2, 1},
    {"BitwiseXor", {18}, kNone, 2, 1},
    {"BlackmanWindow", {17}, kSignalWindow, 1, 1},
    {"Ceil", {1}, kConsumed, 1, 1},
    {"Ceil", {6, 13}, kNone, 1, 1},
    {"Celu", {12}, kAlpha, 1, 1},
    {"Clip", {1}, kClip1, 1, 1},
    {"Clip", {6}, kClip6, 1, 1},
    {"Clip", {11, 12, 13}, kNone, {1, 3}, 1},
    {"Cos", {7, 22}, kNone, 1, 1},
    {"Cosh", {9, 22}, kNone, 1, 1},
    {"CumProd", {26}, kCumulative, 2, 1},
    {"CumSum", {11, 14}, kCumulative, 2, 1},
    {"DFT", {17}, kDFT17, {1, 2}, 1},
    {"DFT", {20}, kDFT20, {1, 3}, 1},
    {"Det", {11, 22}, kNone, 1, 1},
    {"Div", {1}, kBroadcastConsumed, 2, 1},
    {"Div", {6}, kBroadcast, 2, 1},
    {"Div", {7, 13, 14}, kNone, 2, 1},
    {"Einsum", {12}, kEinsum, {1, kAny}, 1},
    {"Elu", {1}, kElu, 1, 1},
    {"Elu", {6, 22}, kAlpha, 1, 1},
    {"Equal", {1}, kBroadcast, 2, 1},
    {"Equal", {7, 11, 13, 19}, kNone, 2, 1},
    {"Erf", {9, 13}, kNone, 1, 1},
    {"Exp", {1}, kConsumed, 1, 1},
    {"Exp", {6, 13}, kNone, 1, 1},
    {"Expand", {8, 13}, kNone, 2, 1},
    {"Floor", {1}, kConsumed, 1, 1},
    {"Floor", {6, 13}, kNone, 1, 1},
    {"Gelu", {20}, kGelu, 1, 1},
    {"Gemm", {1, 6}, kGemm1, 3, 1},
    {"Gemm", {7, 9}, kGemm7, 3, 1},
    {"Gemm", {11, 13}, kGemm7, {2, 3}, 1},
    {"Greater", {1}, kBroadcast, 2, 1},
    {"Greater", {7, 9, 13}, kNone, 2, 1},
    {"GreaterOrEqual", {12, 16}, kNone, 2, 1},
    {"HammingWindow", {17}, kSignalWindow, 1, 1},
    {"HannWindow", {17}, kSignalWindow, 1, 1},
    {"HardSigmoid", {1}, kHardSigmoid1, 1, 1},
    {"HardSigmoid", {6, 22}, kHardSigmoid6, 1, 1},
    {"HardSwish", {14, 22}, kNone, 1, 1},
    {"Hardmax", {1, 11}, kAxis1, 1, 1},
    {"Hardmax", {13}, kLastAxis, 1, 1},
    {"LeakyRelu", {1}, kLeakyRelu1, 1, 1},
    {"LeakyRelu", {6, 16}, kLeakyRelu6, 1, 1},
    {"Less", {1}, kBroadcast, 2, 1},
    {"Less", {7, 9, 13}, kNone, 2, 1},
    {"LessOrEqual", {12, 16}, kNone, 2, 1},
    {"Log", {1}, kConsumed, 1, 1},
    {"Log", {6, 13}, kNone, 1, 1},
    {"LogSoftmax", {1, 11}, kAxis1, 1, 1},
    {"LogSoftmax", {13}, kLastAxis, 1, 1},
    {"MatMul", {1, 9, 13}, kNone, 2, 1},
    {"MatMulInteger", {10}, kNone, {2, 4}, 1},
    {"Max", {1}, kConsumed, {1, kAny}, 1},
    {"Max", {6, 8, 12, 13}, kNone, {1, kAny}, 1},
    {"Mean", {1}, kConsumed, {1, kAny}, 1},
    {"Mean", {6, 8, 13}, kNone, {1, kAny}, 1},
    {"MelWeightMatrix", {17}, kMelWeightMatrix, 5, 1},
    {"Min", {1}, kConsumed, {1, kAny}, 1},
    {"Min", {6, 8, 12, 13}, kNone, {1, kAny}, 1},
    {"Mish", {18, 22}, kNone, 1, 1},
    {"Mod", {10, 13}, kMod, 2, 1},
    {"Mul", {1}, kBroadcastConsumed, 2, 1},
    {"Mul", {6}, kBroadcast, 2, 1},
    {"Mul", {7, 13, 14}, kNone, 2, 1},
    {"Neg", {1}, kConsumed, 1, 1},
    {"Neg", {6, 13}, kNone, 1, 1},
    {"NegativeLogLikelihoodLoss", {12, 13, 22}, kLoss, {2, 3}, 1},
    {"Not", {1}, kNone, 1, 1},
    {"Or", {1}, kBroadcast, 2, 1},
    {"Or", {7}, kNone, 2, 1},
    {"PRelu", {1}, kConsumed, 2, 1},
    {"PRelu", {6, 7, 9, 16}, kNone, 2, 1},
    {"Pow", {1}, kBroadcast, 2, 1},
    {"Pow", {7, 12, 13, 15}, kNone, 2, 1},
    {"QLinearMatMul", {10, 21}, kNone, 8, 1},
    {"Reciprocal", {1}, kConsumed, 1, 1},
    {"Reciprocal", {6, 13}, kNone, 1, 1},
    {"Relu", {1}, kConsumed, 1, 1},
    {"Relu", {6, 13, 14}, kNone, 1, 1},
    {"Round", {11, 22}, kNone, 1, 1},
    {"STFT", {17}, kSTFT, {2, 4}, 1},
    {"Selu", {1}, kSelu1, 1, 1},
    {"Selu", {6, 22}, kSelu6, 1, 1},
    {"Sigmoid", {1}, kConsumed, 1, 1},
    {"Sigmoid", {6, 13}, kNone, 1, 1},
    {"Sign", {9, 13}, kNone, 1, 1},
    {"Sin", {7, 22}, kNone, 1, 1},
    {"Sinh", {9, 22}, kNone, 1, 1},
    {"Softmax", {1, 11}, kAxis1, 1, 1},
    {"Softmax", {13}, kLastAxis, 1, 1},
    {"SoftmaxCrossEntropyLoss", {12, 13}, kLoss, {2, 3}, {1, 2}},
    {"Softplus", {1, 22}, kNone, 1, 1},
    {"Softsign", {1, 22}, kNone, 1, 1},
    {"Sqrt", {1}, kConsumed, 1, 1},
    {"Sqrt", {6, 13}, kNone, 1, 1},
    {"Sub", {1}, kBroadcastConsumed, 2, 1},
    {"Sub", {6}, kBroadcast, 2, 1},
    {"Sub", {7, 13, 14}, kNone, 2, 1},
    {"Sum", {1}, kConsumed, {1, kAny}, 1},
    {"Sum", {6, 8, 13}, kNone, {1, kAny}, 1},
    {"Swish", {24}, kAlpha, 1, 1},
    {"Tan", {7, 22}, kNone, 1, 1},
    {"Tanh", {1}, kConsumed, 1, 1},
    {"Tanh", {6, 13}, kNone, 1, 1},
    {"ThresholdedRelu", {10, 22}, kAlpha, 1, 1},
    {"TopK", {1}, kTopK1, 1, 2},
    {"TopK", {10}, kLastAxis, 2, 2},
    {"TopK", {11, 24}, kTopK11, 2, 2},
    {"Xor", {1}, kBroadcast, 2, 1},
    {"Xor", {7}, kNone, 2, 1},
};
static_assert(ascends(kMathRows));

}  // namespace

std::span<const Row> math_rows() { return kMathRows; }

}  // namespace vdla::import::onnx_schema
