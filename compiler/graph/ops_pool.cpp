// SPDX-License-Identifier: Apache-2.0
// Pooling, means and argmax.
#include <algorithm>

#include "compiler/graph/ops_parts.h"

namespace vdla::graph::parts {
namespace {

struct PoolWindow {
  IterVar ky, kx;
  Value y, x;
};

PoolWindow window_at(const Hw& kernel, const Hw& stride, const Pads& pads, const Value& y, const Value& x) {
  const IterVar ky = expr::reduce_axis(kernel.h, "ky"), kx = expr::reduce_axis(kernel.w, "kx");
  return {ky, kx, y * stride.h + Value(ky) - pads.top, x * stride.w + Value(kx) - pads.left};
}

/// The pooled window's element, or `outside` in the padding.
Value element(const Tensor& in, const PoolWindow& w, const Pads& pads, const Value& value,
              std::int64_t outside) {
  if (pads == Pads{}) return value;
  return select(inside(w.y, in.shape()[1]) && inside(w.x, in.shape()[2]), value, outside);
}

/// Valid elements along one dimension of the window at output position `i`.
Value valid_count(const Value& i, std::int64_t stride, std::int64_t pad, std::int64_t kernel,
                  std::int64_t extent) {
  const Value start = i * stride - pad;
  return cast(DType::I32, minimum(start + kernel, extent) - maximum(start, 0));
}

/// Quotient rounded half away from zero; count is positive.
Value rounded_quotient(const Value& sum, const Value& count) {
  const Value half = count / 2;
  return select(sum > 0, sum + half, sum - half) / count;
}

}  // namespace

NodeExpr express(NodeBuilder& b, const MaxPool2d& op) {
  const Tensor best = expr::compute("best", b.output_shape(), [&](Value n, Value y, Value x, Value c) {
    const PoolWindow w = window_at(op.kernel, op.stride, op.pads, y, x);
    return max(element(b.input(0), w, op.pads, b.input(0)(n, w.y, w.x, c), -128), {w.ky, w.kx});
  });
  return b.take(expr::compute("out", b.output_shape(), [&](const std::vector<Value>& i) {
    return clamp(at(best, i), expr::number(op.min, DType::I8), expr::number(op.max, DType::I8));
  }));
}

NodeExpr express(NodeBuilder& b, const AvgPool2d& op) {
  const Tensor acc = expr::compute("acc", b.output_shape(), [&](Value n, Value y, Value x, Value c) {
    const PoolWindow w = window_at(op.kernel, op.stride, op.pads, y, x);
    return sum(element(b.input(0), w, op.pads, widen(b.input(0)(n, w.y, w.x, c)) + op.offset, 0),
               {w.ky, w.kx});
  });
  return b.take(expr::compute("out", b.output_shape(), [&](Value n, Value y, Value x, Value c) {
    const Shape& in = b.shape(0);
    const Value count = op.pads == Pads{} ? int32(op.kernel.h * op.kernel.w)
                                          : valid_count(y, op.stride.h, op.pads.top, op.kernel.h, in[1]) *
                                                valid_count(x, op.stride.w, op.pads.left, op.kernel.w, in[2]);
    const Value mean = rounded_quotient(acc(n, y, x, c), count) - op.offset;
    return narrow(clamp(mean, int32(op.min), int32(op.max)));
  }));
}

NodeExpr express(NodeBuilder& b, const SumPool2d& op) {
  const Tensor acc = expr::compute("acc", b.output_shape(), [&](Value n, Value y, Value x, Value c) {
    const PoolWindow w = window_at(op.kernel, op.stride, op.pads, y, x);
    const Value value = widen(b.input(0)(n, w.y, w.x, c)) - op.input_zero_point;
    return sum(element(b.input(0), w, op.pads, value, 0), {w.ky, w.kx});
  });
  return b.take(expr::compute("out", b.output_shape(), [&](const std::vector<Value>& i) {
    return b.finish(op.out, at(acc, i), i.back());
  }));
}

NodeExpr express(NodeBuilder& b, const Mean& op) {
  const Shape& in = b.shape(0);
  std::vector<IterVar> axes(in.size());
  std::vector<IterVar> reduced;
  for (int a : op.axes) {
    const auto d = static_cast<std::size_t>(a < 0 ? a + static_cast<int>(in.size()) : a);
    if (axes[d].defined()) continue;
    axes[d] = expr::reduce_axis(in[d], "k" + std::to_string(d));
    reduced.push_back(axes[d]);
  }
  const Tensor acc = expr::compute("acc", b.output_shape(), [&](const std::vector<Value>& i) {
    std::vector<Value> source;
    std::size_t next = 0;
    for (std::size_t d = 0; d < in.size(); ++d) {
      source.push_back(axes[d].defined() ? Value(axes[d]) : i[next]);
      if (!axes[d].defined() || op.keep_dims) ++next;
    }
    return sum(widen(at(b.input(0), source)) - op.input_zero_point, reduced);
  });
  return b.take(expr::compute("out", b.output_shape(), [&](const std::vector<Value>& i) {
    return b.finish(op.out, at(acc, i), i.empty() ? Value(0) : i.back());
  }));
}

NodeExpr express(NodeBuilder& b, const Bilinear& op) {
  const Shape& in = b.shape(0);
  const auto place = [&](std::size_t along, const Value& i, std::int64_t k) {
    return clamp(cast(expr::kIndex, at(b.input(along), {i, Value(k)})), 0, in[along] - 1);
  };
  return b.take(expr::compute("out", b.output_shape(), [&](Value n, Value y, Value x, Value c) {
    Value sum = int32(0);
    for (const std::int64_t row : {0, 1}) {
      for (const std::int64_t column : {0, 1}) {
        const auto weight = [&](std::size_t along, const Value& i, std::int64_t k) {
          const Value second = at(b.input(along), {i, Value(2)});
          return k == 1 ? second : int32(op.parts) - second;
        };
        const Value element = widen(b.input(0)(n, place(1, y, row), place(2, x, column), c));
        sum = sum + (element - op.zero_point) * weight(1, y, row) * weight(2, x, column);
      }
    }
    return narrow(rounded_quotient(sum, int32(op.parts * op.parts)) + op.zero_point);
  }));
}

NodeExpr express(NodeBuilder& b, const ArgMax& op) {
  const Shape& in = b.shape(0);
  const auto axis = static_cast<std::size_t>(op.axis < 0 ? op.axis + static_cast<int>(in.size()) : op.axis);
  const auto source = [&](std::vector<Value> i, const IterVar& k) {
    i.insert(i.begin() + static_cast<std::ptrdiff_t>(axis), Value(k));
    return at(b.input(0), i);
  };
  const IterVar k = expr::reduce_axis(in[axis], "k"), j = expr::reduce_axis(in[axis], "j");
  const Tensor best = expr::compute("best", b.output_shape(),
                                    [&](const std::vector<Value>& i) { return max(source(i, k), {k}); });
  return b.take(expr::compute("out", b.output_shape(), [&](const std::vector<Value>& i) {
    return min(select(source(i, j) == at(best, i), cast(DType::I32, Value(j)), int32(in[axis])), {j});
  }));
}

}  // namespace vdla::graph::parts
