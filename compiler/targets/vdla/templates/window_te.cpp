// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/vdla/templates/window_te.h"

#include <initializer_list>
#include <optional>
#include <utility>

#include "compiler/expr/arith.h"
#include "compiler/intrinsics/table.h"
#include "support/ceil_div.h"
#include "support/error.h"

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

namespace {

/// Puts it in front of `rest`.
template <class T>
std::vector<T> behind(std::vector<T> outer, std::initializer_list<T> rest) {
  outer.insert(outer.end(), rest);
  return outer;
}

std::vector<std::string> names_of(const OuterAxes& outer, std::initializer_list<std::string> rest) {
  std::vector<std::string> names;
  for (const OuterAxis& axis : outer) names.push_back(axis.name);
  return behind(std::move(names), rest);
}

/// Indices of the outer axes among those of a tensor.
std::vector<Value> first_of(const std::vector<Value>& indices, const OuterAxes& outer) {
  return {indices.begin(), indices.begin() + static_cast<std::ptrdiff_t>(outer.size())};
}

}  // namespace

std::vector<Value> Element::indices(std::int64_t batch) const {
  if (batch == 1) return behind(outer, {y, x, block, n});
  return behind(outer, {y, x, block, b, n});
}

namespace {

std::int64_t groups_of(std::int64_t pixels, std::int64_t batch) { return (pixels + batch - 1) / batch; }

/// Pixels of the input along one dimension: position(0), ..., position(last) of a padded tensor.
struct Extent {
  std::int64_t size;   ///< size of the padded tensor
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

Tensor with_halo(const Tensor& in, const Image& out, const SlidingWindow& w, std::int32_t pad,
                 const OuterAxes& outer) {
  const std::size_t o = outer.size();
  const std::vector<std::int64_t>& shape = in.shape();
  const Extent rows = extent_of(out.h, w.kernel_h, w.stride_h, w.dilation_h, w.pad_top, shape[o]);
  const Extent columns = extent_of(out.w, w.kernel_w, w.stride_w, w.dilation_w, w.pad_left, shape[o + 1]);
  return expr::compute(
      in.name() + "_padded", shape_of(outer, {rows.size, columns.size, shape[o + 2], shape[o + 3]}),
      [&](const std::vector<Value>& i) {
        const Value row = rows.position(i[o]), column = columns.position(i[o + 1]);
        std::optional<Value> inside;
        bound(row, rows.pad, (rows.size - 1) * rows.step - rows.pad, rows.input, inside);
        bound(column, columns.pad, (columns.size - 1) * columns.step - columns.pad, columns.input, inside);
        const Value element = expr::at(in, behind(first_of(i, outer), {row, column, i[o + 2], i[o + 3]}));
        return padded_element(element, inside, pad);
      },
      names_of(outer, {"y", "x", "c", "k"}));
}

/// Padding along x is that of whole bundles: of the step that they begin at.
Tensor with_copies(const Tensor& in, const Image& out, const SlidingWindow& w, const Grouping& by,
                   std::int32_t pad, std::int64_t batch, const OuterAxes& outer) {
  const std::size_t o = outer.size();
  const std::vector<std::int64_t>& shape = in.shape();
  const Extent rows = extent_of(out.h, w.kernel_h, w.stride_h, w.dilation_h, w.pad_top, shape[o]);
  const std::int64_t groups = groups_of(out.w, batch) + by.beyond;
  const std::int64_t apart = by.by_tap ? w.dilation_w : by.step;  // pixels from copy to copy
  const std::int64_t unit = by.bundle, input = shape[o + 1] / unit;
  const std::int64_t last = (groups * batch - 1) * by.step + (by.copies - 1) * apart + by.first;
  return expr::compute(
      in.name() + "_padded",
      shape_of(outer, {rows.size, by.copies, groups, by.bundle, shape[o + 2], batch, shape[o + 3]}),
      [&](const std::vector<Value>& i) {
        const Value row = rows.position(i[o]), copy = i[o + 1], group = i[o + 2], b = i[o + 5];
        const Value begin = (group * Value(batch) + b) * Value(by.step / unit) + copy * Value(apart / unit) +
                            Value(by.first / unit);
        const Value pixel = begin * Value(unit) + i[o + 3];
        std::optional<Value> inside;
        bound(row, rows.pad, (rows.size - 1) * rows.step - rows.pad, rows.input, inside);
        bound(begin, -by.first, last / unit, input, inside);
        const Value element = expr::at(in, behind(first_of(i, outer), {row, pixel, i[o + 4], i[o + 6]}));
        return padded_element(element, inside, pad);
      },
      names_of(outer, {"y", "copy", "x", "pixel", "c", "b", "k"}));
}

/// The rows and columns that windows touch.
Image reach(const Image& in, const Image& out, const SlidingWindow& w) {
  return {(out.h - 1) * w.stride_h + (w.kernel_h - 1) * w.dilation_h + 1,
          (out.w - 1) * w.stride_w + (w.kernel_w - 1) * w.dilation_w + 1, in.c};
}

}  // namespace

Tensor entries(const std::string& name, const Image& image, const isa::Geometry& g,
               const std::function<Value(const Element&)>& body, const OuterAxes& outer) {
  const std::int64_t batch = g.batch, lanes = g.block_out, blocks = padded_channels(image.c, g) / lanes;
  const std::int64_t groups = groups_of(image.w, batch);
  const std::size_t o = outer.size();
  if (batch == 1) {
    return expr::compute(
        name, shape_of(outer, {image.h, groups, blocks, lanes}),
        [&](const std::vector<Value>& i) {
          return body({i[o], i[o + 1], i[o + 2], Value(0), i[o + 3], first_of(i, outer)});
        },
        names_of(outer, {"y", "x", "nb", "n"}));
  }
  return expr::compute(
      name, shape_of(outer, {image.h, groups, blocks, batch, lanes}),
      [&](const std::vector<Value>& i) {
        return body({i[o], i[o + 1], i[o + 2], i[o + 3], i[o + 4], first_of(i, outer)});
      },
      names_of(outer, {"y", "x", "nb", "b", "n"}));
}

WindowInput::WindowInput(const std::string& name, const Image& in, const Image& out,
                         const SlidingWindow& window, std::int32_t pad, std::int64_t lanes, bool on_chip,
                         const isa::Geometry& g, const OuterAxes& outer)
    : window_(on_chip ? window : dense_window(window)), batch_(g.batch) {
  const Image image = on_chip ? reach(in, out, window) : in;
  grouping_ = grouping_of(window, in.w, out.w, batch_);
  ahead_ = -window.pad_left - grouping_.first;
  const std::int64_t blocks = padded_channels(in.c, g) / lanes;
  grouped_ = on_chip && batch_ > 1;
  parameter_ = expr::placeholder(
      name,
      grouped_ ? shape_of(outer, {image.h, groups_of(image.w, batch_), blocks, batch_, lanes})
               : shape_of(outer, {image.h, image.w, blocks, lanes}),
      DType::I8);
  tensor_ = on_chip       ? parameter_
            : batch_ == 1 ? with_halo(parameter_, out, window, pad, outer)
                          : with_copies(parameter_, out, window, grouping_, pad, batch_, outer);
}

WindowInput::WindowInput(const Tensor& made, const Image& in, const Image& out, const SlidingWindow& window,
                         std::int32_t pad, const isa::Geometry& g)
    : window_(window), batch_(g.batch), grouped_(false) {
  VDLA_CHECK(batch_ == 1) << "with a batch, windows read other pixels together than were computed together";
  SlidingWindow pixels;
  pixels.pad_top = window.pad_top;
  pixels.pad_left = window.pad_left;
  parameter_ = tensor_ = with_halo(made, reach(in, out, window), pixels, pad, {});
}

Value WindowInput::operator()(const Element& e, const Value& ky, const Value& kx, const Value& block,
                              const Value& lane) const {
  const Value row = e.y * Value(window_.stride_h) + ky * Value(window_.dilation_h);
  if (grouped_) return expr::at(tensor_, behind(e.outer, {row, e.x, block, e.b, lane}));
  if (batch_ > 1 && grouping_.by_tap)
    return expr::at(tensor_, behind(e.outer, {row, kx, e.x, Value(0), block, e.b, lane}));
  if (batch_ > 1) {
    // Pixels from the first copy's beginning, of which neither is negative.
    const Value from_first = kx * Value(window_.dilation_w) + Value(ahead_);
    const Value step = floor_div(from_first, Value(grouping_.step));
    const Value copy = floor_mod(step, Value(batch_)), group = e.x + floor_div(step, Value(batch_));
    const Value pixel = floor_mod(from_first, Value(grouping_.step));
    return expr::at(tensor_, behind(e.outer, {row, copy, group, pixel, block, e.b, lane}));
  }
  const Value column = e.x * Value(window_.stride_w) + kx * Value(window_.dilation_w);
  return expr::at(tensor_, behind(e.outer, {row, column, block, lane}));
}

void compute_whole_entries(schedule::Stage& stage, std::int64_t batch, std::size_t axis) {
  if (batch > 1) stage.compute_whole(stage.axis(axis));
}

Tensor stored_elements(const std::string& name, const Image& image, const isa::Geometry& g,
                       const std::function<Value(const Element&)>& body, const OuterAxes& outer) {
  const std::int64_t batch = g.batch;
  const std::size_t o = outer.size();
  return expr::compute(
      name, shape_of(outer, {image.h, image.w, padded_channels(image.c, g) / g.block_out, g.block_out}),
      [&](const std::vector<Value>& i) {
        const Value x = i[o + 1], c = i[o + 2], n = i[o + 3];
        if (batch == 1) return body({i[o], x, c, Value(0), n, first_of(i, outer)});
        const Value group = floor_div(x, Value(batch)), b = floor_mod(x, Value(batch));
        return body({i[o], group, c, b, n, first_of(i, outer)});
      },
      names_of(outer, {"y", "x", "nb", "n"}));
}

Tensor way_out(const Tensor& result, const Image& image, bool on_chip, const isa::Geometry& g,
               const OuterAxes& outer, const std::string& name) {
  if (on_chip) return result;
  return stored_elements(
      name, image, g, [&](const Element& e) { return expr::at(result, e.indices(g.batch)); }, outer);
}

Value scaled_int8(const Value& x, const std::function<Value(std::int64_t)>& params,
                  const OutputStage& stage) {
  const Value scaled(intrinsics::scale_value(x.expr(), params(0).expr(), params(1).expr(), params(2).expr()));
  return clamped_int8(scaled, stage.zero_point, stage.min, stage.max);
}
Value scaled_int8(const Value& x, const Tensor& params, const Value& block, const Value& n,
                  const OutputStage& stage) {
  return scaled_int8(x, [&](std::int64_t row) { return params(block, Value(row), n); }, stage);
}

Tensor scaled_result(const Tensor& acc, const Image& image, const Tensor& params, const OutputStage& stage,
                     const isa::Geometry& g, const OuterAxes& outer, const std::string& suffix) {
  return entries(
      "result" + suffix, image, g,
      [&](const Element& e) {
        return scaled_int8(expr::at(acc, e.indices(g.batch)), params, e.block, e.n, stage);
      },
      outer);
}

Sum sum_of(const Add& op, const ElementValue& a, const ElementValue& b, const Tensor& params,
           const isa::Geometry& g, const std::optional<AccumulatorBlocks>& blocks) {
  const auto scaled = [&](const Value& value, int which, const Value& n) {
    const auto row = [&](int r) { return params(Value(which), Value(r), n).expr(); };
    return Value(intrinsics::scale_value(value.expr(), row(0), row(1), row(2)));
  };
  Sum s;
  const Image& acc = blocks ? blocks->image : op.image;
  const auto element = [&](const Element& e) { return blocks ? blocks->element(e) : e; };
  const auto place = [&](const Element& e) { return blocks ? blocks->place(e) : e; };
  s.first =
      entries("first", acc, g, [&](const Element& e) { return scaled(widened(a(element(e))), 0, e.n); });
  s.both = entries("both", acc, g, [&](const Element& e) {
    return expr::at(s.first, e.indices(g.batch)) + scaled(widened(b(element(e))), 1, e.n);
  });
  s.result = entries("sum", op.image, g, [&](const Element& e) {
    const Value sum = scaled(expr::at(s.both, place(e).indices(g.batch)), 2, e.n);
    return clamped_int8(sum, op.stage.zero_point, op.stage.min, op.stage.max);
  });
  return s;
}

std::vector<std::int64_t> blocked(const Image& image, const isa::Geometry& g) {
  return {image.h, image.w, padded_channels(image.c, g) / g.block_out, g.block_out};
}

Value clamped_int8(const Value& x, std::int32_t zero, std::int32_t min, std::int32_t max) {
  return Value(intrinsics::int8_result(x.expr(), i32(zero).expr(), i32(min).expr(), i32(max).expr()));
}

}  // namespace vdla::pipeline::device
