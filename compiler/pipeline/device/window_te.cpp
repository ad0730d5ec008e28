// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/device/window_te.h"

#include <optional>

#include "compiler/expr/arith.h"
#include "compiler/tensorize/table.h"
#include "support/ceil_div.h"

namespace vdla::pipeline::device {

using expr::DType;
using expr::Tensor;
using expr::Value;

Value i32(std::int64_t value) { return Value(expr::int_imm(value, DType::I32)); }
Value widened(const Value& int8_value) { return expr::cast(DType::I32, int8_value); }

bool skips_pixels(const SlidingWindow& w) { return w.kernel_w == 1 && w.stride_w > 1; }

SlidingWindow dense_window(const SlidingWindow& w) {
  SlidingWindow dense = w;
  if (w.kernel_h == 1) dense.stride_h = dense.dilation_h = 1;
  if (w.kernel_w == 1) dense.stride_w = dense.dilation_w = 1;
  dense.pad_top = dense.pad_left = 0;
  return dense;
}

Grouping grouping_of(const SlidingWindow& w, std::int64_t in_w, std::int64_t out_w, std::int64_t batch) {
  Grouping by;
  by.step = w.stride_w;
  by.first = -w.pad_left;
  by.copies = w.kernel_w;
  if (batch == 1) return {};
  if (w.kernel_w == 1) return by;
  const std::int64_t first = expr::floor_div(-w.pad_left, w.stride_w);
  const std::int64_t reach = (w.kernel_w - 1) * w.dilation_w;
  const std::int64_t steps = expr::floor_div(reach - w.pad_left, w.stride_w) - first + 1;
  const std::int64_t whole = in_w / w.stride_w * w.stride_w;
  const bool cut = in_w != whole && (out_w - 1) * w.stride_w + reach - w.pad_left >= whole;
  if (cut) return by;
  const std::int64_t copies = std::min(steps, batch), beyond = (steps - 1) / batch;
  const std::int64_t groups = ceil_div(out_w, batch);
  if (w.stride_w == 1 && copies * (groups + beyond) >= by.copies * groups) return by;
  by.bundle = w.stride_w;
  by.copies = copies;
  by.beyond = beyond;
  by.first = first * w.stride_w;
  by.by_tap = false;
  return by;
}

std::vector<Value> Element::indices(std::int64_t batch) const {
  if (batch == 1) return {y, x, block, n};
  return {y, x, block, b, n};
}

namespace {

std::int64_t groups_of(std::int64_t pixels, std::int64_t batch) { return (pixels + batch - 1) / batch; }

/// Pixels of the input along one dimension: position(0), ..., position(last) of a padded tensor.
struct Extent {
  std::int64_t size;   ///< of the padded tensor
  std::int64_t step;   ///< pixels of the input per element
  std::int64_t pad;    ///< before the first
  std::int64_t input;  ///< pixels of the input

  Value position(const Value& index) const { return index * Value(step) - Value(pad); }
};

Extent extent_of(std::int64_t out, std::int64_t kernel, std::int64_t stride, std::int64_t dilation,
                 std::int64_t pad, std::int64_t input) {
  if (kernel == 1) return {out, stride, pad, input};
  return {(out - 1) * stride + (kernel - 1) * dilation + 1, 1, pad, input};
}

/// Adds to `inside` that `position`, which reaches from -pad to `last`, is a pixel of the input.
void bound(const Value& position, std::int64_t pad, std::int64_t last, std::int64_t input,
           std::optional<Value>& inside) {
  const auto require = [&](const Value& condition) { inside = inside ? *inside && condition : condition; };
  if (pad > 0) require(position >= Value(0));
  if (last >= input) require(position < Value(input));
}

Value padded_element(const Value& element, const std::optional<Value>& inside, std::int32_t pad) {
  return inside ? expr::select(*inside, element, Value(expr::int_imm(pad, DType::I8))) : element;
}

Tensor with_halo(const Tensor& in, const Image& out, const SlidingWindow& w, std::int32_t pad) {
  const Extent rows = extent_of(out.h, w.kernel_h, w.stride_h, w.dilation_h, w.pad_top, in.shape()[0]);
  const Extent columns = extent_of(out.w, w.kernel_w, w.stride_w, w.dilation_w, w.pad_left, in.shape()[1]);
  return expr::compute(in.name() + "_padded", {rows.size, columns.size, in.shape()[2], in.shape()[3]},
                       [&](Value y, Value x, Value c, Value k) {
                         const Value row = rows.position(y), column = columns.position(x);
                         std::optional<Value> inside;
                         bound(row, rows.pad, (rows.size - 1) * rows.step - rows.pad, rows.input, inside);
                         bound(column, columns.pad, (columns.size - 1) * columns.step - columns.pad,
                               columns.input, inside);
                         return padded_element(in(row, column, c, k), inside, pad);
                       },
                       {"y", "x", "c", "k"});
}

/// What is padding along x is said of whole bundles: of the step that they begin at.
Tensor with_copies(const Tensor& in, const Image& out, const SlidingWindow& w, const Grouping& by,
                   std::int32_t pad, std::int64_t batch) {
  const Extent rows = extent_of(out.h, w.kernel_h, w.stride_h, w.dilation_h, w.pad_top, in.shape()[0]);
  const std::int64_t groups = groups_of(out.w, batch) + by.beyond;
  const std::int64_t apart = by.by_tap ? w.dilation_w : by.step;  // pixels from copy to copy
  const std::int64_t unit = by.bundle, input = in.shape()[1] / unit;
  const std::int64_t last = (groups * batch - 1) * by.step + (by.copies - 1) * apart + by.first;
  return expr::compute(in.name() + "_padded",
                       {rows.size, by.copies, groups, by.bundle, in.shape()[2], batch, in.shape()[3]},
                       [&](Value y, Value copy, Value group, Value pixel, Value c, Value b, Value k) {
                         const Value row = rows.position(y);
                         const Value begin = (group * Value(batch) + b) * Value(by.step / unit) +
                                             copy * Value(apart / unit) + Value(by.first / unit);
                         std::optional<Value> inside;
                         bound(row, rows.pad, (rows.size - 1) * rows.step - rows.pad, rows.input, inside);
                         bound(begin, -by.first, last / unit, input, inside);
                         return padded_element(in(row, begin * Value(unit) + pixel, c, k), inside, pad);
                       },
                       {"y", "copy", "x", "pixel", "c", "b", "k"});
}

/// The rows and columns that windows touch.
Image reach(const Image& in, const Image& out, const SlidingWindow& w) {
  return {(out.h - 1) * w.stride_h + (w.kernel_h - 1) * w.dilation_h + 1,
          (out.w - 1) * w.stride_w + (w.kernel_w - 1) * w.dilation_w + 1, in.c};
}

}  // namespace

Tensor entries(const std::string& name, const Image& image, const isa::Geometry& g,
               const std::function<Value(const Element&)>& body) {
  const std::int64_t batch = g.batch, lanes = g.block_out, blocks = padded_channels(image.c, g) / lanes;
  const std::int64_t groups = groups_of(image.w, batch);
  if (batch == 1) {
    return expr::compute(name, {image.h, groups, blocks, lanes},
                         [&](Value y, Value x, Value c, Value n) { return body({y, x, c, Value(0), n}); },
                         {"y", "x", "nb", "n"});
  }
  return expr::compute(name, {image.h, groups, blocks, batch, lanes},
                       [&](Value y, Value x, Value c, Value b, Value n) { return body({y, x, c, b, n}); },
                       {"y", "x", "nb", "b", "n"});
}

WindowInput::WindowInput(const std::string& name, const Image& in, const Image& out,
                         const SlidingWindow& window, std::int32_t pad, std::int64_t lanes, bool on_chip,
                         const isa::Geometry& g)
    : window_(on_chip ? window : dense_window(window)), batch_(g.batch) {
  const Image image = on_chip ? reach(in, out, window) : in;
  grouping_ = grouping_of(window, in.w, out.w, batch_);
  ahead_ = -window.pad_left - grouping_.first;
  const std::int64_t blocks = padded_channels(in.c, g) / lanes;
  grouped_ = on_chip && batch_ > 1;
  const std::vector<std::int64_t> shape =
      grouped_ ? std::vector{image.h, groups_of(image.w, batch_), blocks, batch_, lanes}
               : std::vector{image.h, image.w, blocks, lanes};
  parameter_ = expr::placeholder(name, shape, DType::I8);
  tensor_ = on_chip       ? parameter_
            : batch_ == 1 ? with_halo(parameter_, out, window, pad)
                          : with_copies(parameter_, out, window, grouping_, pad, batch_);
}

Value WindowInput::operator()(const Element& e, const Value& ky, const Value& kx, const Value& block,
                              const Value& lane) const {
  const Value row = e.y * Value(window_.stride_h) + ky * Value(window_.dilation_h);
  if (grouped_) return tensor_(row, e.x, block, e.b, lane);
  if (batch_ > 1 && grouping_.by_tap) return tensor_(row, kx, e.x, Value(0), block, e.b, lane);
  if (batch_ > 1) {
    // Pixels from the first copy's beginning, of which neither is negative.
    const Value from_first = kx * Value(window_.dilation_w) + Value(ahead_);
    const Value step = floor_div(from_first, Value(grouping_.step));
    return tensor_(row, floor_mod(step, Value(batch_)), e.x + floor_div(step, Value(batch_)),
                   floor_mod(from_first, Value(grouping_.step)), block, e.b, lane);
  }
  return tensor_(row, e.x * Value(window_.stride_w) + kx * Value(window_.dilation_w), block, lane);
}

void compute_whole_entries(schedule::Stage& stage, std::int64_t batch, std::size_t axis) {
  if (batch > 1) stage.compute_whole(stage.axis(axis));
}

Tensor way_out(const Tensor& result, const Image& image, bool on_chip, const isa::Geometry& g) {
  if (on_chip) return result;
  const std::int64_t batch = g.batch;
  return expr::compute("out", {image.h, image.w, padded_channels(image.c, g) / g.block_out, g.block_out},
                       [&](Value y, Value x, Value c, Value n) {
                         if (batch == 1) return result(y, x, c, n);
                         return result(y, floor_div(x, Value(batch)), c, floor_mod(x, Value(batch)), n);
                       },
                       {"y", "x", "nb", "n"});
}

Value scaled_int8(const Value& x, const Tensor& params, const Value& block, const Value& n,
                  const OutputStage& stage) {
  const auto row = [&](std::int64_t r) { return params(block, Value(r), n).expr(); };
  const Value scaled(tensorize::scale_value(x.expr(), row(0), row(1), row(2)));
  return clamped_int8(scaled, stage.zero_point, stage.min, stage.max);
}

Sum sum_of(const Add& op, const ElementValue& a, const ElementValue& b, const Tensor& params,
           const isa::Geometry& g) {
  const auto scaled = [&](const Value& value, int which, const Value& n) {
    const auto row = [&](int r) { return params(Value(which), Value(r), n).expr(); };
    return Value(tensorize::scale_value(value.expr(), row(0), row(1), row(2)));
  };
  Sum s;
  s.first = entries("first", op.image, g, [&](const Element& e) { return scaled(widened(a(e)), 0, e.n); });
  s.both = entries("both", op.image, g, [&](const Element& e) {
    return expr::at(s.first, e.indices(g.batch)) + scaled(widened(b(e)), 1, e.n);
  });
  s.result = entries("sum", op.image, g, [&](const Element& e) {
    const Value sum = scaled(expr::at(s.both, e.indices(g.batch)), 2, e.n);
    return clamped_int8(sum, op.stage.zero_point, op.stage.min, op.stage.max);
  });
  return s;
}

std::vector<std::int64_t> blocked(const Image& image, const isa::Geometry& g) {
  return {image.h, image.w, padded_channels(image.c, g) / g.block_out, g.block_out};
}

Value clamped_int8(const Value& x, std::int32_t zero, std::int32_t min, std::int32_t max) {
  return Value(tensorize::int8_result(x.expr(), i32(zero).expr(), i32(min).expr(), i32(max).expr()));
}

}  // namespace vdla::pipeline::device
