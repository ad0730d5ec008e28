// SPDX-License-Identifier: Apache-2.0
// Operators of the device: plain descriptors, filled in by code that knows the graph. One descriptor is one
// layer, of `images` images that follow each other in its tensors; it shares its weights with the graph. All
// numbers are the integers of the kernel contract (TFLite's int8 reference kernels), no scale appears.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "compiler/graph/op_parts.h"
#include "compiler/targets/vdla/templates/shared_values.h"
#include "isa/spec/geometry.h"

namespace vdla::pipeline::device {

/// Height, width, channels of one activation tensor.
struct Image {
  std::int64_t h = 1, w = 1, c = 1;
  bool operator==(const Image&) const = default;
};

using graph::Multiplier;
using graph::OutputStage;

/// A sliding window. The output's size is given by the images; padding below and to the right follows from
/// it.
struct SlidingWindow {
  std::int64_t kernel_h = 1, kernel_w = 1;
  std::int64_t stride_h = 1, stride_w = 1;
  std::int64_t dilation_h = 1, dilation_w = 1;
  std::int64_t pad_top = 0, pad_left = 0;
  bool operator==(const SlidingWindow&) const = default;
};

/// out = stage(shifted and multiplied (a - a_zero) + (b - b_zero) likewise): TFLite's ADD. Same images, or b
/// is one pixel.
struct Add {
  std::string name;
  Image image;
  std::int32_t left_shift = 20;
  std::int32_t a_zero = 0, b_zero = 0;
  Multiplier a, b;
  OutputStage stage;
  bool by_channel = false;  ///< b has one number for each channel
};

/// out[o] = stage(bias[o] + sum (in - input_zero) * (weights - weight_zero)); padding counts as nothing.
struct Conv2d {
  std::string name;
  Image in, out;
  std::int64_t images = 1;
  SlidingWindow window;
  std::int64_t groups = 1;
  SharedValues<std::int8_t> weights;  ///< [out.c][kernel_h][kernel_w][in.c / groups]
  SharedValues<std::int32_t> bias;    ///< empty, or one per output channel
  std::int32_t input_zero = 0, weight_zero = 0;
  OutputStage stage;
  std::int64_t filler = 0;  ///< weights of an output channel that are none of the model's (weight_zero)
  /// Sum with the second input, whose operand a the result is on its way out. One image, one group.
  std::optional<Add> sum;
};

/// Products of matrices: out[i, j, ...] = stage(in[i * a0 + j * a1 + ...] * weights[i * b0 + j * b1 + ...] +
/// bias), row by row, over the batch axes. The second operand comes packed, in two tensors: entries
/// [matrix][part][column block][depth block][N][K], zeros beyond the last column and term, int8_summands()
/// parts; and parameters [matrix][column block][3][N] as scale takes them (bias, multiplier, shifts).
struct MatMul {
  std::string name;
  Image in;  ///< one first operand: its rows as w, the terms of a sum as c
  std::int64_t columns = 1;
  /// From one result to the next along it, how many first and second operands further: 0 where one operand is
  /// broadcast.
  struct BatchAxis {
    std::int64_t extent = 1, a = 0, b = 0;
  };
  std::vector<BatchAxis> batch;  ///< outermost first; empty: one product
  /// Row r of all first operands, or results, lies before row r + 1 of any: for one axis of products.
  bool in_by_row = false, out_by_row = false;
  std::int32_t weight_zero = 0;
  OutputStage stage;  ///< one multiplier: that of the parameters
  /// Elements deep, columns wide and rounded up to that the second operand is packed in; not set: as the
  /// machine wants it.
  std::optional<std::array<std::int64_t, 3>> packed = std::nullopt;
};

/// Output channel o reads input channel o / (out.c / in.c).
struct DepthwiseConv2d {
  std::string name;
  Image in, out;
  std::int64_t images = 1;
  SlidingWindow window;
  SharedValues<std::int8_t> weights;  ///< [kernel_h][kernel_w][out.c]
  SharedValues<std::int32_t> bias;
  std::int32_t input_zero = 0, weight_zero = 0;
  OutputStage stage;
};

struct MaxPool2d {
  std::string name;
  Image in, out;
  std::int64_t images = 1;
  SlidingWindow window;
  std::int32_t min = -128, max = 127;
};

/// Sum over the valid elements of (x + offset), divided by their count with halves away from zero, less
/// offset, clamped.
struct AvgPool2d {
  std::string name;
  Image in, out;
  std::int64_t images = 1;
  SlidingWindow window;
  std::int32_t offset = 0;
  std::int32_t min = -128, max = 127;
};

/// stage(sum over the valid elements of (x - input_zero)); a mean over the whole image has one window of its
/// size.
struct SumPool2d {
  std::string name;
  Image in, out;
  std::int64_t images = 1;
  SlidingWindow window;
  std::int32_t input_zero = 0;
  OutputStage stage;
};

/// out = stage(x - input_zero): another quantisation, or a clamp.
struct Requantize {
  std::string name;
  Image image;
  std::int32_t input_zero = 0;
  OutputStage stage;
};

/// The larger, or the smaller, of two images' elements.
struct Extremum {
  std::string name;
  Image image;
  bool smaller = false;
};

/// out = stage((a - a_zero) * (b - b_zero)). b: the second input, one number for each channel or of the same
/// size; or constants, one for each channel.
struct Mul {
  std::string name;
  Image image;
  SharedValues<std::int8_t> factors;  ///< empty: b is the second input
  bool by_channel = false;            ///< a second input has one number for each channel
  std::int32_t a_zero = 0, b_zero = 0;
  OutputStage stage;  ///< one multiplier
};

/// out = clamp(the larger, or the smaller, of two scalings of (x - input_zero), + zero_point).
struct Slopes {
  std::string name;
  Image image;
  std::int32_t input_zero = 0;
  std::array<Multiplier, 2> slopes;
  bool smaller = false;
  std::int32_t zero_point = 0, min = -128, max = 127;
};

/// The image with a border of `value`; its bottom and right follow from the sizes.
struct Move {
  std::string name;
  Image in, out;
  std::int64_t images = 1;
  std::int64_t pad_top = 0, pad_left = 0;
  std::int32_t value = 0;
};

/// Rows, columns and a range of channels of an image: out[y, x, c] = in[rows[y], columns[x], channel + c], or
/// `value` where the row or the column is kNowhere.
struct Select {
  static constexpr std::int64_t kNowhere = -1;

  std::string name;
  Image in, out;
  std::vector<std::int64_t> rows, columns;
  std::int64_t channel = 0;
  std::int32_t value = 0;
};

/// Weighted means of two rows and two columns: of (in - zero), halves away from zero. The first of the two
/// has the weight parts - weight.
struct Bilinear {
  struct Place {
    std::int64_t first = 0, second = 0, weight = 0;
  };

  std::string name;
  Image in, out;
  std::vector<Place> rows, columns;
  std::int64_t parts = 1;
  std::int32_t zero = 0;
};

/// Images joined along their channels, with channels of `value` around them, along rows, or along columns.
struct Concat {
  std::string name;
  std::vector<Image> inputs;
  bool rows = false;
  std::int64_t before = 0, after = 0;  ///< channels of `value`
  std::int32_t value = 0;
  bool columns = false;
};

/// The second alone reads the first one's result. One image, one group, one channel of the result for each
/// channel between.
struct ConvDepthwise {
  std::string name;
  Conv2d first;
  DepthwiseConv2d second;
};

/// All operators. What is asked of them is in a row of each (operator.h): an operator more is its descriptor
/// here, its name in this list and a file of operators/.
#define VDLA_DEVICE_OPERATORS(X) \
  X(Conv2d)                      \
  X(DepthwiseConv2d)             \
  X(Add)                         \
  X(MaxPool2d)                   \
  X(AvgPool2d)                   \
  X(SumPool2d)                   \
  X(Requantize)                  \
  X(MatMul)                      \
  X(Move)                        \
  X(Select)                      \
  X(Bilinear)                    \
  X(Concat)                      \
  X(Extremum)                    \
  X(Mul)                         \
  X(Slopes)                      \
  X(ConvDepthwise)

namespace detail {
template <class, class... Ops>
struct OneOf {
  using Type = std::variant<Ops...>;
};
}  // namespace detail

#define VDLA_MEMBER(type) , type
using Op = detail::OneOf<void VDLA_DEVICE_OPERATORS(VDLA_MEMBER)>::Type;
#undef VDLA_MEMBER

const std::string& name_of(const Op& op);
/// "conv2d", "depthwise_conv2d", ...
std::string_view kind_of(const Op& op);
/// The inputs, in order (two for sums; without packed ones), and the output; several images as one, below
/// each other.
std::vector<Image> inputs_of(const Op& op);
Image output_of(const Op& op);
/// Bytes from pixel to pixel of the output in DRAM: its padded channels at least.
std::int64_t pixel_bytes_of(const Op& op, const isa::Geometry& geometry);
/// Multiply-accumulates as the model states them: no padded channels; 0 for layers without weights.
std::int64_t macs_of(const Op& op);

/// A fully connected layer is a 1x1 convolution of an image that is `rows` high and 1 wide. `weights` is
/// [outputs][inputs]. (One that follows a flattened h x w x c image is a convolution with a kernel of h x w,
/// without repacking.)
Conv2d dense(std::string name, std::int64_t rows, std::int64_t inputs, std::int64_t outputs,
             SharedValues<std::int8_t> weights, SharedValues<std::int32_t> bias, std::int32_t input_zero,
             std::int32_t weight_zero, OutputStage stage);

/// Convolution with dense weights and the same result: groups, and depthwise with a channel multiplier, are
/// filled up with weights that equal the weight zero point.
Conv2d without_groups(const Conv2d& op);
Conv2d as_conv2d(const DepthwiseConv2d& op);
/// 1, or with a weight zero point as many int8 summands as the differences need.
std::int64_t conv_parts(const Conv2d& op);
/// Whether a correction can take the place of several parts: the negative zero point is an int8.
bool can_correct(const Conv2d& op);
/// Parts of the convolution that computes them: a depthwise one with a channel multiplier (1 of others), a
/// product.
std::int64_t conv_parts(const DepthwiseConv2d& op);
bool can_correct(const DepthwiseConv2d& op);
std::int64_t conv_parts(const MatMul& op);

/// Output stage of channels [first, first + count) of a layer's result.
OutputStage channels_of(const OutputStage& stage, std::int64_t first, std::int64_t count);

/// UserError for a malformed descriptor.
void check(const Op& op);

/// Why the device cannot compute the layer (one sentence for people), or nothing. A malformed descriptor is a
/// UserError instead.
std::optional<std::string> unsupported(const Op& op, const isa::Geometry& geometry);

}  // namespace vdla::pipeline::device
