// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/device/window_te.h"

#include <optional>

#include "compiler/tensorize/table.h"

namespace vdla::pipeline::device {

using expr::DType;
using expr::Tensor;
using expr::Value;

Value i32(std::int64_t value) { return Value(expr::int_imm(value, DType::I32)); }
Value widened(const Value& int8_value) { return expr::cast(DType::I32, int8_value); }

Window dense_window(const Window& w) {
  Window dense = w;
  if (w.kernel_h == 1) dense.stride_h = dense.dilation_h = 1;
  if (w.kernel_w == 1) dense.stride_w = dense.dilation_w = 1;
  dense.pad_top = dense.pad_left = 0;
  return dense;
}

namespace {

/// One dimension of a padded input.
struct Extent {
  std::int64_t size;   ///< of the padded tensor
  std::int64_t step;   ///< pixels of the input per element
  std::int64_t pad;    ///< before the first
  std::int64_t input;  ///< pixels of the input

  Value position(const Value& index) const { return index * Value(step) - Value(pad); }

  void bound(const Value& position, std::optional<Value>& inside) const {
    const auto require = [&](const Value& condition) { inside = inside ? *inside && condition : condition; };
    if (pad > 0) require(position >= Value(0));
    if ((size - 1) * step - pad >= input) require(position < Value(input));
  }
};

Extent extent_of(std::int64_t out, std::int64_t kernel, std::int64_t stride, std::int64_t dilation,
                 std::int64_t pad, std::int64_t input) {
  if (kernel == 1) return {out, stride, pad, input};
  return {(out - 1) * stride + (kernel - 1) * dilation + 1, 1, pad, input};
}

}  // namespace

Tensor padded_input(const Tensor& in, const Image& out, const Window& w, std::int32_t pad) {
  const Extent rows = extent_of(out.h, w.kernel_h, w.stride_h, w.dilation_h, w.pad_top, in.shape()[0]);
  const Extent columns = extent_of(out.w, w.kernel_w, w.stride_w, w.dilation_w, w.pad_left, in.shape()[1]);
  return expr::compute(in.name() + "_padded", {rows.size, columns.size, in.shape()[2], in.shape()[3]},
                       [&](Value y, Value x, Value c, Value k) {
                         const Value row = rows.position(y), column = columns.position(x);
                         std::optional<Value> inside;
                         rows.bound(row, inside);
                         columns.bound(column, inside);
                         const Value element = in(row, column, c, k);
                         return inside ? expr::select(*inside, element, Value(expr::int_imm(pad, DType::I8)))
                                       : element;
                       },
                       {"y", "x", "c", "k"});
}

Value padded_row(const Window& window, const Value& y, const Value& ky) {
  const Window w = dense_window(window);
  return y * Value(w.stride_h) + ky * Value(w.dilation_h);
}

Value padded_column(const Window& window, const Value& x, const Value& kx) {
  const Window w = dense_window(window);
  return x * Value(w.stride_w) + kx * Value(w.dilation_w);
}

Value scaled_int8(const Value& x, const Tensor& params, const Value& block, const Value& n,
                  const OutputStage& stage) {
  const auto row = [&](std::int64_t r) { return params(block, Value(r), n).expr(); };
  const Value scaled(tensorize::scale_value(x.expr(), row(0), row(1), row(2)));
  return clamped_int8(scaled, stage.zero_point, stage.min, stage.max);
}

Value clamped_int8(const Value& x, std::int32_t zero, std::int32_t min, std::int32_t max) {
  return Value(tensorize::int8_result(x.expr(), i32(zero).expr(), i32(min).expr(), i32(max).expr()));
}

}  // namespace vdla::pipeline::device
