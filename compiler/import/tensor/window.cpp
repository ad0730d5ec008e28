// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tensor/window.h"

#include <algorithm>

#include "support/ceil_div.h"

namespace vdla::import::tensor {

using expr::BinaryOp;
using expr::Reducer;

Value convolve(const Composer& c, const Value& x, const Value& w, const WindowAttributes& a,
               std::int64_t groups) {
  return c.emit(graph::Convolve{a.stride, a.dilation, a.before, a.after, groups}, {x, w});
}

Value convolve_transposed(const Composer& c, const Value& x, const Value& w, const WindowAttributes& a,
                          std::int64_t groups) {
  // Weights: groups apart, inputs and outputs exchanged, spatial dimensions backwards.
  const std::size_t rank = a.kernel.size();
  const std::int64_t in = w.shape[0] / groups, out = w.shape[1];
  Shape apart = {groups, in, out}, together = {groups * out, in};
  std::vector<int> perm = {0, 2, 1};
  Integers start(2, 0), step(2, 1);
  for (std::size_t d = 0; d < rank; ++d) {
    apart.push_back(a.kernel[d]);
    together.push_back(a.kernel[d]);
    perm.push_back(static_cast<int>(d) + 3);
    start.push_back(a.kernel[d] - 1);
    step.push_back(-1);
  }
  const Value exchanged = c.reshape(c.transpose(c.reshape(w, apart), perm), together);
  const Value flipped = c.slice(exchanged, start, step, exchanged.shape);
  Integers before(2, 0), after(2, 0), spread(2, 1);
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t span = (a.kernel[d] - 1) * a.dilation[d];
    before.push_back(span - a.before[d]);
    after.push_back(span - a.after[d]);
    spread.push_back(a.stride[d]);
  }
  const Value wide = c.pad(x, before, after, 0, graph::Outside::Fill, spread);
  const Integers ones(rank, 1), zeros(rank, 0);
  return convolve(c, wide, flipped, {a.kernel, ones, a.dilation, zeros, zeros, {}}, groups);
}

Value pooled(const Composer& c, const Value& x, Reducer reducer, const WindowAttributes& a) {
  return c.emit(graph::ReduceWindow{reducer, a.kernel, a.stride, a.dilation, a.before, a.after}, {x});
}

Value window_counts(const Composer& c, const Value& x, const Shape& windows, const WindowAttributes& a,
                    bool padding_counts) {
  Value count = c.scalar(x.type, 1);
  for (std::size_t d = 0; d < a.kernel.size(); ++d) {
    constexpr std::int64_t kMostCounts = 1 << 20;
    c.require(windows[d + 2] <= kMostCounts, "has an output of " + graph::to_string(windows) +
                                                 ", needs at most " + std::to_string(kMostCounts) +
                                                 " in a dimension, each with a count of its elements");
    std::vector<double> valid;
    const std::int64_t low = padding_counts ? -a.before[d] : 0;
    const std::int64_t high = x.shape[d + 2] + (padding_counts ? a.stated_after[d] : 0);
    for (std::int64_t i = 0; i < windows[d + 2]; ++i) {
      // Taps that lie before `end`, of those of a window that begins at `begin`.
      const std::int64_t begin = i * a.stride[d] - a.before[d];
      const auto taps_before = [&](std::int64_t end) {
        return std::min(ceil_div(std::max<std::int64_t>(0, end - begin), a.dilation[d]), a.kernel[d]);
      };
      valid.push_back(static_cast<double>(std::max<std::int64_t>(1, taps_before(high) - taps_before(low))));
    }
    Shape shape(x.rank(), 1);
    shape[d + 2] = windows[d + 2];
    count = c.binary(BinaryOp::Mul, count, make_constant(x.type, shape, valid));
  }
  return count;
}

Value average_pooled(const Composer& c, const Value& x, const WindowAttributes& a, bool padding_counts) {
  const Value total = pooled(c, x, Reducer::Sum, a);
  return c.binary(BinaryOp::Div, total, window_counts(c, x, total.shape, a, padding_counts));
}

namespace {

/// Sums along axes. Those of many elements are made of sums along one axis each: a float to which 640,000
/// others are added one after the other is wrong in its fourth digit.
Value sums_along(const Composer& c, const Value& x, const Integers& axes, std::int64_t count,
                 bool keep_dims) {
  constexpr std::int64_t kMostInARow = 1 << 14;
  const bool wide = x.type == DataType::Float32 || x.type == DataType::Float64;
  if (!wide || count <= kMostInARow || axes.size() < 2) return c.fold(Reducer::Sum, x, axes, keep_dims);
  Value total = x;
  Shape shape;
  for (std::size_t d = x.rank(); d-- > 0;)
    if (const auto axis = static_cast<std::int64_t>(d); std::ranges::find(axes, axis) != axes.end())
      total = c.fold(Reducer::Sum, total, {axis}, true);
    else
      shape.insert(shape.begin(), x.shape[d]);
  return keep_dims ? total : c.reshape(total, shape);
}

}  // namespace

Value mean_over(const Composer& c, const Value& x, const Integers& axes, bool keep_dims) {
  std::int64_t count = 1;
  for (std::int64_t a : axes) count *= x.shape[static_cast<std::size_t>(a)];
  const Value total = sums_along(c, x, axes, count, keep_dims);
  return c.binary(BinaryOp::Div, total, c.scalar(total.type, static_cast<double>(count)));
}

}  // namespace vdla::import::tensor
