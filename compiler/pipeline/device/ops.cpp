// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/device/ops.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/error.h"
#include "support/overloaded.h"

namespace vdla::pipeline::device {
namespace {

std::string text(const Image& i) { return fmt::format("{}x{}x{}", i.h, i.w, i.c); }

void check_image(const std::string& layer, const char* what, const Image& i) {
  VDLA_CHECK_USER(i.h > 0 && i.w > 0 && i.c > 0)
      << layer << ": " << what << " is " << text(i) << ", needs positive extents";
}

Image stacked(const Image& i, std::int64_t images) { return {images * i.h, i.w, i.c}; }

void check_size(const std::string& layer, const char* what, std::size_t have, std::int64_t need) {
  VDLA_CHECK_USER(static_cast<std::int64_t>(have) == need)
      << layer << ": " << what << " has " << have << " elements, needs " << need;
}

void check_stage(const std::string& layer, const OutputStage& stage, std::int64_t channels) {
  VDLA_CHECK_USER(stage.multiplier.size() == 1 ||
                  static_cast<std::int64_t>(stage.multiplier.size()) == channels)
      << layer << ": " << stage.multiplier.size() << " multipliers, needs 1 or one per output channel ("
      << channels << ")";
  VDLA_CHECK_USER(stage.min >= -128 && stage.max <= 127 && stage.min <= stage.max)
      << layer << ": clamps to " << stage.min << ".." << stage.max << ", needs a range within -128..127";
}

void check_window(const std::string& layer, const Image& in, const Image& out, const Window& w) {
  check_image(layer, "input", in);
  check_image(layer, "output", out);
  VDLA_CHECK_USER(w.kernel_h > 0 && w.kernel_w > 0 && w.stride_h > 0 && w.stride_w > 0 && w.dilation_h > 0 &&
                  w.dilation_w > 0)
      << layer << ": kernel, stride and dilation need to be positive";
  VDLA_CHECK_USER(w.pad_top >= 0 && w.pad_left >= 0) << layer << ": padding needs to be 0 or more";
}

void check_images(const std::string& layer, std::int64_t images) {
  VDLA_CHECK_USER(images > 0) << layer << ": " << images << " images, needs at least 1";
}

void check(const Add& op) {
  check_image(op.name, "image", op.image);
  check_stage(op.name, op.stage, op.image.c);
  VDLA_CHECK_USER(op.left_shift >= 0 && op.left_shift <= 31)
      << op.name << ": left shift is " << op.left_shift << ", needs 0..31";
}

void check(const Conv2d& op) {
  check_window(op.name, op.in, op.out, op.window);
  check_images(op.name, op.images);
  VDLA_CHECK_USER(op.groups > 0 && op.in.c % op.groups == 0 && op.out.c % op.groups == 0)
      << op.name << ": " << op.groups << " groups do not divide " << op.in.c << " input and " << op.out.c
      << " output channels";
  check_size(op.name, "weights", op.weights.size(),
             op.out.c * op.window.kernel_h * op.window.kernel_w * (op.in.c / op.groups));
  if (!op.bias.empty()) check_size(op.name, "bias", op.bias.size(), op.out.c);
  check_stage(op.name, op.stage, op.out.c);
  if (!op.sum) return;
  check(*op.sum);
  VDLA_CHECK_USER(op.images == 1 && op.groups == 1 && op.sum->image == op.out)
      << op.name << ": its sum '" << op.sum->name << "' is of " << text(op.sum->image)
      << ", needs one image and group and the output's size " << text(op.out);
}

void check(const DepthwiseConv2d& op) {
  check_window(op.name, op.in, op.out, op.window);
  check_images(op.name, op.images);
  VDLA_CHECK_USER(op.out.c % op.in.c == 0)
      << op.name << ": " << op.out.c << " output channels are not a multiple of " << op.in.c << " inputs";
  check_size(op.name, "weights", op.weights.size(), op.out.c * op.window.kernel_h * op.window.kernel_w);
  if (!op.bias.empty()) check_size(op.name, "bias", op.bias.size(), op.out.c);
  check_stage(op.name, op.stage, op.out.c);
}

void check(const MatMul& op) {
  check_image(op.name, "first operand", op.in);
  VDLA_CHECK_USER(op.in.h == 1 && op.columns > 0)
      << op.name << ": multiplies " << text(op.in) << " with " << op.columns
      << " columns, needs a height of 1 and at least one column";
  VDLA_CHECK_USER(!op.a_of.empty() && op.a_of.size() == op.b_of.size())
      << op.name << ": has " << op.a_of.size() << " first and " << op.b_of.size()
      << " second operands, needs as many of each, at least one";
  check_size(op.name, "its multipliers", op.stage.multiplier.size(), 1);
  check_stage(op.name, op.stage, op.columns);
}

void check(const Move& op) {
  check_window(op.name, op.in, op.out, {});
  check_images(op.name, op.images);
  VDLA_CHECK_USER(op.in.c == op.out.c && op.pad_top >= 0 && op.pad_left >= 0)
      << op.name << ": pads " << text(op.in) << " to " << text(op.out) << ", needs as many channels";
}

void check(const Concat& op) {
  VDLA_CHECK_USER(!op.inputs.empty()) << op.name << ": has no input";
  for (const Image& i : op.inputs) {
    check_image(op.name, "input", i);
    const Image& first = op.inputs[0];
    VDLA_CHECK_USER(i.w == first.w && (op.rows ? i.c == first.c : i.h == first.h))
        << op.name << ": " << text(i) << " does not fit beside " << text(first);
  }
}

template <class Pool>
void check_pool(const Pool& op) {
  check_window(op.name, op.in, op.out, op.window);
  check_images(op.name, op.images);
  VDLA_CHECK_USER(op.in.c == op.out.c)
      << op.name << ": input has " << op.in.c << " channels, output " << op.out.c << ", needs the same";
}

void check(const ConvDepthwise& op) {
  check(op.first);
  check(op.second);
  VDLA_CHECK_USER(op.first.images == 1 && op.second.images == 1 && op.first.groups == 1 && !op.first.sum &&
                  op.first.out == op.second.in && op.second.in.c == op.second.out.c)
      << op.name << ": needs one image and group, and a depthwise convolution of " << text(op.first.out)
      << " behind the first, sees " << text(op.second.in) << " to " << text(op.second.out);
}

}  // namespace

void check(const Op& op) {
  std::visit(overloaded{
                 [](const Conv2d& o) { check(o); },
                 [](const DepthwiseConv2d& o) { check(o); },
                 [](const MatMul& o) { check(o); },
                 [](const Move& o) { check(o); },
                 [](const Concat& o) { check(o); },
                 [](const Add& o) { check(o); },
                 [](const MaxPool2d& o) { check_pool(o); },
                 [](const AvgPool2d& o) { check_pool(o); },
                 [](const SumPool2d& o) {
                   check_pool(o);
                   check_stage(o.name, o.stage, o.out.c);
                 },
                 [](const Requantize& o) {
                   check_image(o.name, "image", o.image);
                   check_stage(o.name, o.stage, o.image.c);
                 },
                 [](const Extremum& o) { check_image(o.name, "image", o.image); },
                 [](const ConvDepthwise& o) { check(o); },
             },
             op);
}

const std::string& name_of(const Op& op) {
  return std::visit([](const auto& o) -> const std::string& { return o.name; }, op);
}

std::string_view kind_of(const Op& op) {
  if (const auto* conv = std::get_if<Conv2d>(&op); conv && conv->sum) return "conv2d+add";
  if (const auto* extremum = std::get_if<Extremum>(&op)) return extremum->smaller ? "minimum" : "maximum";
  static constexpr std::string_view kKinds[] = {
      "conv2d",     "depthwise_conv2d", "add", "max_pool2d", "avg_pool2d", "sum_pool2d",
      "requantize", "batch_matmul",     "pad", "concat",     "",           "conv2d+depthwise"};
  static_assert(std::size(kKinds) == std::variant_size_v<Op>);
  return kKinds[op.index()];
}

std::vector<Image> inputs_of(const Op& op) {
  return std::visit(
      overloaded{
          [](const Add& o) { return std::vector<Image>{o.image, o.image}; },
          [](const Extremum& o) { return std::vector<Image>{o.image, o.image}; },
          [](const Requantize& o) { return std::vector<Image>{o.image}; },
          [](const Conv2d& o) {
            std::vector<Image> images{stacked(o.in, o.images)};
            if (o.sum) images.push_back(o.sum->image);
            return images;
          },
          [](const MatMul& o) { return std::vector<Image>{stacked(o.in, 1 + std::ranges::max(o.a_of))}; },
          [](const Concat& o) { return o.inputs; },
          [](const ConvDepthwise& o) { return std::vector<Image>{o.first.in}; },
          [](const auto& o) { return std::vector<Image>{stacked(o.in, o.images)}; },
      },
      op);
}

Image output_of(const Op& op) {
  return std::visit(overloaded{
                        [](const Add& o) { return o.image; },
                        [](const Extremum& o) { return o.image; },
                        [](const Requantize& o) { return o.image; },
                        [](const MatMul& o) {
                          return stacked({1, o.in.w, o.columns}, static_cast<std::int64_t>(o.a_of.size()));
                        },
                        [](const Concat& o) {
                          Image all = o.inputs[0];
                          for (std::size_t i = 1; i < o.inputs.size(); ++i)
                            (o.rows ? all.h : all.c) += o.rows ? o.inputs[i].h : o.inputs[i].c;
                          return all;
                        },
                        [](const ConvDepthwise& o) { return o.second.out; },
                        [](const auto& o) { return stacked(o.out, o.images); },
                    },
                    op);
}

std::int64_t macs_of(const Op& op) {
  return std::visit(overloaded{
                        [](const Conv2d& o) {
                          return o.images * o.out.h * o.out.w *
                                 (static_cast<std::int64_t>(o.weights.size()) - o.out.c * o.filler);
                        },
                        [](const DepthwiseConv2d& o) {
                          return o.images * o.out.h * o.out.w * static_cast<std::int64_t>(o.weights.size());
                        },
                        [](const MatMul& o) {
                          return static_cast<std::int64_t>(o.a_of.size()) * o.in.w * o.in.c * o.columns;
                        },
                        [](const ConvDepthwise& o) { return macs_of(Op(o.first)) + macs_of(Op(o.second)); },
                        [](const auto&) { return std::int64_t{0}; },
                    },
                    op);
}

Conv2d dense(std::string name, std::int64_t rows, std::int64_t inputs, std::int64_t outputs,
             SharedValues<std::int8_t> weights, SharedValues<std::int32_t> bias, std::int32_t input_zero,
             std::int32_t weight_zero, OutputStage stage) {
  Conv2d op;
  op.name = std::move(name);
  op.in = {rows, 1, inputs};
  op.out = {rows, 1, outputs};
  op.weights = std::move(weights);
  op.bias = std::move(bias);
  op.input_zero = input_zero;
  op.weight_zero = weight_zero;
  op.stage = std::move(stage);
  return op;
}

Conv2d without_groups(const Conv2d& op) {
  if (op.groups == 1) return op;
  Conv2d dense = op;
  dense.groups = 1;
  const std::int64_t taps = op.window.kernel_h * op.window.kernel_w;
  const std::int64_t group_in = op.in.c / op.groups, group_out = op.out.c / op.groups;
  std::vector<std::int8_t> weights(static_cast<std::size_t>(op.out.c * taps * op.in.c),
                                   static_cast<std::int8_t>(op.weight_zero));
  for (std::int64_t o = 0; o < op.out.c; ++o) {
    for (std::int64_t t = 0; t < taps; ++t) {
      for (std::int64_t i = 0; i < group_in; ++i) {
        weights[static_cast<std::size_t>((o * taps + t) * op.in.c + (o / group_out) * group_in + i)] =
            op.weights[static_cast<std::size_t>((o * taps + t) * group_in + i)];
      }
    }
  }
  dense.weights = std::move(weights);
  return dense;
}

Conv2d as_conv2d(const DepthwiseConv2d& op) {
  Conv2d conv;
  conv.name = op.name;
  conv.in = op.in;
  conv.out = op.out;
  conv.images = op.images;
  conv.window = op.window;
  conv.groups = op.in.c;
  conv.bias = op.bias;
  conv.input_zero = op.input_zero;
  conv.weight_zero = op.weight_zero;
  conv.stage = op.stage;
  const std::int64_t taps = op.window.kernel_h * op.window.kernel_w;
  std::vector<std::int8_t> weights(op.weights.size());
  for (std::int64_t t = 0; t < taps; ++t) {
    for (std::int64_t o = 0; o < op.out.c; ++o) {
      weights[static_cast<std::size_t>(o * taps + t)] =
          op.weights[static_cast<std::size_t>(t * op.out.c + o)];
    }
  }
  conv.weights = std::move(weights);
  return without_groups(conv);
}

Conv2d as_conv2d(const MatMul& op) {
  Conv2d conv;
  conv.name = op.name;
  conv.in = op.in;
  conv.out = {1, op.in.w, op.columns};
  conv.weight_zero = op.weight_zero;
  conv.stage = op.stage;
  return conv;
}

OutputStage channels_of(const OutputStage& stage, std::int64_t first, std::int64_t count) {
  OutputStage one = stage;
  if (stage.multiplier.size() == 1) return one;
  const auto begin = stage.multiplier.begin() + static_cast<std::ptrdiff_t>(first);
  one.multiplier.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
  return one;
}

Move copy_of(const Concat& op, std::size_t i) { return {op.name, op.inputs[i], op.inputs[i], 1, 0, 0, 0}; }

}  // namespace vdla::pipeline::device
