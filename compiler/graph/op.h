// SPDX-License-Identifier: Apache-2.0
// The closed list of graph operators and their attributes.
//
// Integer operators carry the integers of the kernel contract (zero points, Q31 multipliers, shifts, clamps)
// and never a scale: what a node computes does not depend on the quantisation noted on its tensors, which
// only explains the values. Their activations are NHWC, convolution weights OHWI, depthwise weights 1HWO,
// dense weights OI. Operators of any element type are in tensor_op.h.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "compiler/graph/op_parts.h"
#include "compiler/graph/tensor_op.h"
#include "support/int8_summands.h"

namespace vdla::graph {

/// How an operator may be fused with its neighbours.
enum class FusionClass : std::uint8_t {
  Elementwise,        ///< each output element comes from the elements at its place (inputs broadcast)
  Moving,             ///< from one element at another place, without a search for it
  Injective,          ///< from one place of each input, which a search or a border decides
  Reduction,          ///< sums, maxima
  ComplexOutFusable,  ///< injective operators may be fused to its output
  Opaque,             ///< not fused
};

/// Each output element comes from one place of each input.
constexpr bool is_injective(FusionClass c) { return c <= FusionClass::Injective; }

/// Inputs: data, weights, optional int32 bias. Padding holds the input's zero point.
struct Conv2d {
  Hw stride, dilation;
  Pads pads;
  std::int64_t groups = 1;
  std::int32_t input_zero_point = 0, weight_zero_point = 0;
  OutputStage out;
  /// Number of an output channel's weights that a packing added, all equal to the zero point. They are no
  /// multiply-accumulates of the model.
  std::int64_t filler = 0;
};

/// Inputs as Conv2d. Output channel o reads input channel o / (out channels / in channels).
struct DepthwiseConv2d {
  Hw stride, dilation;
  Pads pads;
  std::int32_t input_zero_point = 0, weight_zero_point = 0;
  OutputStage out;
};

/// Inputs: data (all dimensions but the last count as batch), weights, optional int32 bias.
struct FullyConnected {
  std::int32_t input_zero_point = 0, weight_zero_point = 0;
  OutputStage out;
};

/// Products of the last two dimensions of two int8 tensors less their zero points, each transposed first
/// where asked for; the other dimensions broadcast.
struct BatchMatMul {
  bool transpose_a = false, transpose_b = false;
  std::int32_t a_zero_point = 0, b_zero_point = 0;
  OutputStage out;  ///< one multiplier
};

// Second operand of a product, for an array of multipliers that takes it in entries of `lanes` x `depth`
// (columns of the result x terms of its sums), both filled up to multiples of `block`.

struct EntryShape {
  std::int64_t depth = 1, lanes = 1, block = 1;
  bool operator==(const EntryShape&) const = default;

  std::int64_t padded(std::int64_t n) const { return (n + block - 1) / block * block; }
};

/// The matrices of the second operand as [matrix][part, column block][depth block][lane, depth], zeros in
/// what is filled up. With a zero point there are several parts, whose sum is the operand less it.
struct PackMatrices {
  BatchMatMul product;
  EntryShape entry;

  std::int64_t parts() const { return int8_summands(product.b_zero_point); }
};

/// Parameters by which the result's columns are requantised, as int32 [matrix][column block, 3, lane]: bias
/// (the column's sum times the first operand's negative zero point), multiplier, left shift | right shift <<
/// 8.
struct PackScales {
  BatchMatMul product;
  EntryShape entry;
};

/// BatchMatMul, first operand not transposed, with those two in the place of the second operand, which was of
/// this shape before its last two dimensions and had `columns` columns.
struct PackedMatMul {
  BatchMatMul product;
  EntryShape entry;
  std::vector<std::int64_t> batch;
  std::int64_t columns = 1;
  bool a_by_row = false, out_by_row = false;  ///< [row][matrix] in the last two dimensions before columns
};

/// Both inputs minus zero point, shifted left, multiplied; the sum goes through the output stage. Inputs
/// broadcast.
struct Add {
  std::int32_t left_shift = 20;
  std::int32_t a_zero_point = 0, b_zero_point = 0;
  Multiplier a, b;
  OutputStage out;
};

/// (a - za) * (b - zb) through the output stage. Inputs broadcast.
struct Mul {
  std::int32_t a_zero_point = 0, b_zero_point = 0;
  OutputStage out;

  std::int64_t largest_sum() const { return reach(a_zero_point) * reach(b_zero_point); }
};

/// Larger, smaller of two int8 tensors of equal quantisation. Inputs broadcast.
struct Maximum {};
struct Minimum {};

struct MaxPool2d {
  Hw kernel, stride;
  Pads pads;
  std::int32_t min = -128, max = 127;
};

/// Sum over the valid elements of (x + offset) divided by their count, rounded half away from zero, less
/// offset, clamped. The offset (128 for a model of uint8) only moves the point around which "away from zero"
/// is meant.
struct AvgPool2d {
  Hw kernel, stride;
  Pads pads;
  std::int32_t offset = 0;
  std::int32_t min = -128, max = 127;
};

/// Sum over the window (padding counts as zero) of (x - zero point) through the output stage, whose
/// multiplier holds 1 / count: average pooling whose output has another scale than its input.
struct SumPool2d {
  Hw kernel, stride;
  Pads pads;
  std::int32_t input_zero_point = 0;
  OutputStage out;
};

/// Sum over `axes` of (x - zero point) through the output stage, whose multiplier holds 1 / count.
struct Mean {
  std::vector<int> axes;
  bool keep_dims = false;
  std::int32_t input_zero_point = 0;
  OutputStage out;
};

/// Weighted mean of the elements in two rows and two columns. Inputs: image; for the rows and for the columns
/// of the result a constant int32 [extent, 3]: the two places, and the weight of the second one, which the
/// weight of the first one fills up to `parts`. The mean of (x - zero point) is rounded half away from zero.
struct Bilinear {
  std::int64_t parts = 1;
  std::int32_t zero_point = 0;
};

/// int8 softmax over the last dimension: fixed-point exponential of the reference kernels; output scale
/// 1/256, zero point -128. Differences below diff_min give the smallest output.
struct Softmax {
  Multiplier input;
  std::int32_t diff_min = 0;
};

/// float32 softmax over the last dimension.
struct SoftmaxFloat {};

/// Index of the first largest element along `axis`, as int32.
struct ArgMax {
  int axis = -1;
};

/// int8 -> int8 of another quantisation and range: also relu, clamp.
struct Requantize {
  std::int32_t input_zero_point = 0;
  OutputStage out;

  /// Largest sum in front of the output stage, for limit_sums(): an operator whose shape does not matter for
  /// it says it here.
  std::int64_t largest_sum() const { return reach(input_zero_point); }
};

/// float32 -> int8: round(x / scale), halves away from zero, plus zero point, clamped: TFLite's QUANTIZE.
struct Quantize {
  float scale = 1;
  std::int32_t zero_point = 0;
};

/// int8 -> float32.
struct Dequantize {
  float scale = 1;
  std::int32_t zero_point = 0;
};

/// Any function of one int8: table[x + 128]. `function` names it for people.
struct Lut {
  std::string function;
  std::array<std::int8_t, 256> table{};
};

/// Same elements in the same order; the new shape has no unknown.
struct Reshape {
  std::vector<std::int64_t> shape;
};

/// Output dimension i is input dimension perm[i].
struct Transpose {
  std::vector<int> perm;
};

/// Constant border: before[i], after[i] elements along dimension i.
struct Pad {
  std::vector<std::int64_t> before, after;
  std::int32_t value = 0;
};

struct Concat {
  int axis = -1;
};

/// The windows of a convolution side by side: output pixel (y, x) holds the elements of its window, taps in
/// row-major order, channels innermost. A convolution behind it is one of 1x1; behind windows that are blocks
/// (kernel equal to stride: space to depth) it is one without a stride.
struct Im2col {
  Hw kernel, stride, dilation;
  Pads pads;
  std::int32_t pad_value = 0;
};

#define VDLA_GRAPH_OPS(X)                                   \
  X(Conv2d, "conv2d", ComplexOutFusable)                    \
  X(DepthwiseConv2d, "depthwise_conv2d", ComplexOutFusable) \
  X(FullyConnected, "fully_connected", ComplexOutFusable)   \
  X(BatchMatMul, "batch_matmul", ComplexOutFusable)         \
  X(PackMatrices, "pack_matrices", Opaque)                  \
  X(PackScales, "pack_scales", Opaque)                      \
  X(PackedMatMul, "packed_matmul", ComplexOutFusable)       \
  X(Add, "add", Elementwise)                                \
  X(Mul, "mul", Elementwise)                                \
  X(Maximum, "maximum", Elementwise)                        \
  X(Minimum, "minimum", Elementwise)                        \
  X(MaxPool2d, "max_pool2d", Reduction)                     \
  X(AvgPool2d, "avg_pool2d", Reduction)                     \
  X(SumPool2d, "sum_pool2d", Reduction)                     \
  X(Mean, "mean", Reduction)                                \
  X(Bilinear, "bilinear", ComplexOutFusable)                \
  X(Softmax, "softmax", Opaque)                             \
  X(SoftmaxFloat, "softmax_float", Opaque)                  \
  X(ArgMax, "argmax", Opaque)                               \
  X(Requantize, "requantize", Elementwise)                  \
  X(Quantize, "quantize", Elementwise)                      \
  X(Dequantize, "dequantize", Elementwise)                  \
  X(Lut, "lut", Elementwise)                                \
  X(Reshape, "reshape", Moving)                             \
  X(Transpose, "transpose", Moving)                         \
  X(Pad, "pad", Injective)                                  \
  X(Concat, "concat", Injective)                            \
  X(Im2col, "im2col", Injective)                            \
  VDLA_GRAPH_TENSOR_OPS(X)

namespace detail {
template <class, class... Ops>
struct VariantOf {
  using Type = std::variant<Ops...>;
};
}  // namespace detail

#define VDLA_MEMBER(type, text, fusion) , type
using Op = detail::VariantOf<void VDLA_GRAPH_OPS(VDLA_MEMBER)>::Type;
#undef VDLA_MEMBER

std::string_view name_of(const Op& op);
FusionClass fusion_class_of(const Op& op);

}  // namespace vdla::graph
