// SPDX-License-Identifier: Apache-2.0
// Reductions along axes, and what is normalised by them.
#include <limits>
#include <numeric>

#include "compiler/import/tensor/node.h"
#include "compiler/import/tensor/window.h"

namespace vdla::import::tensor {
namespace {

using expr::BinaryOp;
using expr::Function;
using expr::Reducer;

/// Attribute or second input; all axes where neither says.
Integers axes_of(const Node& c) {
  const Value& x = c.in(0);
  Integers axes = c.has(1) ? c.integers(1, "axes") : c.integers("axes", Integers{});
  if (!axes.empty()) return c.axes(axes, x.rank());
  if (c.integer("noop_with_empty_axes", 0) != 0) return {};
  axes.resize(x.rank());
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

template <Reducer R>
void reduce(const Node& c) {
  c.set(c.fold(R, c.in(0), axes_of(c), c.integer("keepdims") != 0));
}

/// The largest or smallest; of bool whether any is true, or all.
template <Reducer R>
void reduce_extreme(const Node& c) {
  const Value& x = c.in(0);
  const Value numbers = x.type == DataType::Bool ? c.cast(x, DataType::UInt8) : x;
  c.set(c.cast(c.fold(R, numbers, axes_of(c), c.integer("keepdims") != 0), x.type));
}

void mean(const Node& c) { c.set(mean_over(c, c.in(0), axes_of(c), c.integer("keepdims") != 0)); }

/// One function of the elements, their sum, another function of that.
void sum_of(const Node& c, const Value& elements, const Function* after) {
  const Value total = c.fold(Reducer::Sum, elements, axes_of(c), c.integer("keepdims") != 0);
  c.set(after ? c.unary(*after, total) : total);
}

Value squares(const Node& c) {
  return c.map("Square", {c.in(0)}, [](const auto& v) { return v[0] * v[0]; });
}

constexpr Function kLog = Function::Log, kSqrt = Function::Sqrt;

void sum_square(const Node& c) { sum_of(c, squares(c), nullptr); }
void l1(const Node& c) { sum_of(c, c.unary(Function::Abs, c.in(0)), nullptr); }
void l2(const Node& c) { sum_of(c, squares(c), &kSqrt); }
void log_sum(const Node& c) { sum_of(c, c.in(0), &kLog); }

void log_sum_exp(const Node& c) {
  const Integers axes = axes_of(c);
  const bool keep = c.integer("keepdims") != 0;
  const Value largest = c.fold(Reducer::Max, c.in(0), axes, true);
  const Value shift = c.map("Finite", {largest}, [](const auto& v) {  // infinity less infinity is no number
    if (!is_float(v[0].dtype())) return v[0];
    const auto number = [&](double n) { return expr::Value(expr::float_imm(n, v[0].dtype())); };
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return select(v[0] == number(kInfinity) || v[0] == number(-kInfinity), number(0), v[0]);
  });
  const Value powers = c.unary(Function::Exp, c.binary(BinaryOp::Sub, c.in(0), shift));
  const Value total = c.fold(Reducer::Sum, powers, axes, keep);
  const Value top = keep ? shift : c.reshape(shift, total.shape);
  c.set(c.binary(BinaryOp::Add, c.unary(Function::Log, total), top));
}

template <bool Smallest>
void locate(const Node& c) {
  const Value& x = c.in(0);
  graph::Locate op;
  op.smallest = Smallest;
  op.last = c.integer("select_last_index", 0) != 0;
  op.axis = static_cast<int>(c.axis(c.integer("axis"), x.rank()));
  op.keep_dims = c.integer("keepdims") != 0;
  c.set(c.emit(op, {x}));
}

/// `of(x, axis)`, which normalises along the axis. Up to version 12 all dimensions from the axis on count as
/// one.
template <class Of>
void along_axis(const Node& c, const Of& of) {
  const Value& x = c.in(0);
  if (x.count() == 0) return c.set(x);
  const std::size_t axis = c.axis(c.integer("axis"), x.rank());
  if (c.opset() >= 13) return c.set(of(x, axis));
  const Shape head(x.shape.begin(), x.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  const Shape tail(x.shape.begin() + static_cast<std::ptrdiff_t>(axis), x.shape.end());
  const Shape rows = {graph::element_count(head), graph::element_count(tail)};
  c.set(c.reshape(of(c.reshape(x, rows), 1), x.shape));
}

template <bool Logarithm>
void softmax(const Node& c) {
  along_axis(c, [&](const Value& x, std::size_t axis) { return c.softmax(x, axis, Logarithm); });
}

/// 1 at the first largest element along an axis.
void hardmax(const Node& c) {
  along_axis(c, [&](const Value& x, std::size_t axis) {
    graph::Locate op;
    op.axis = static_cast<int>(axis);
    op.keep_dims = true;
    const Value best = c.emit(op, {x});
    const Value places = c.iota(DataType::Int64, x.rank(), axis, x.shape[axis]);
    return c.map("Hardmax", {best, places},
                 [&](const auto& v) { return expr::cast(graph::dtype_of(x.type), v[0] == v[1]); });
  });
}

void cumulative_sum(const Node& c) {
  const Value& x = c.in(0);
  graph::Cumulate op;
  op.axis = static_cast<int>(c.axis(c.number(1, "axis"), x.rank()));
  op.exclusive = c.integer("exclusive") != 0;
  op.reverse = c.integer("reverse") != 0;
  c.set(c.emit(op, {x}));
}

/// Products of all elements up to each one: in each step those of twice as many, with ones before the first.
void cumulative_product(const Node& c) {
  const Value& x = c.in(0);
  const std::size_t axis = c.axis(c.number(1, "axis"), x.rank());
  if (x.count() == 0) return c.set(x);
  const bool reverse = c.integer("reverse") != 0;
  const std::int64_t extent = x.shape[axis];
  const auto moved = [&](const Value& v, std::int64_t by) {
    Integers before(x.rank(), 0), after(x.rank(), 0);
    before[axis] = reverse ? -by : by;
    after[axis] = -before[axis];
    return by < extent ? c.pad(v, before, after, 1)
                       : c.broadcast(make_constant(x.type, {}, Integers{1}), x.shape);
  };
  Value y = c.integer("exclusive") != 0 ? moved(x, 1) : x;
  for (std::int64_t by = 1; by < extent; by *= 2) y = c.binary(BinaryOp::Mul, y, moved(y, by));
  c.set(y);
}

/// x by the norm of its elements along an axis; zeros where the norm is zero.
void lp_normalization(const Node& c) {
  const Value& x = c.float_in(0);
  const Integers axis = {static_cast<std::int64_t>(c.axis(c.integer("axis"), x.rank()))};
  const std::int64_t p = c.integer("p");
  c.require(p == 1 || p == 2, "has p " + std::to_string(p) + ", needs 1 or 2");
  if (x.count() == 0) return c.set(x);
  const Value total = c.fold(Reducer::Sum, p == 1 ? c.unary(Function::Abs, x) : squares(c), axis, true);
  const Value norm = p == 1 ? total : c.unary(Function::Sqrt, total);
  c.set(c.map("LpNormalization", {x, norm}, [](const auto& v) {
    const expr::Value zero = expr::float_imm(0, v[0].dtype());
    return select(v[1] == zero, zero, v[0] / v[1]);
  }));
}

constexpr Operator kReductionOperators[] = {
    {"ArgMax", locate<false>},
    {"ArgMin", locate<true>},
    {"CumProd", cumulative_product},
    {"CumSum", cumulative_sum},
    {"Hardmax", hardmax},
    {"LogSoftmax", softmax<true>},
    {"LpNormalization", lp_normalization},
    {"ReduceL1", l1},
    {"ReduceL2", l2},
    {"ReduceLogSum", log_sum},
    {"ReduceLogSumExp", log_sum_exp},
    {"ReduceMax", reduce_extreme<Reducer::Max>},
    {"ReduceMean", mean},
    {"ReduceMin", reduce_extreme<Reducer::Min>},
    {"ReduceProd", reduce<Reducer::Prod>},
    {"ReduceSum", reduce<Reducer::Sum>},
    {"ReduceSumSquare", sum_square},
    {"Softmax", softmax<false>},
};

}  // namespace

std::span<const Operator> reduction_operators() { return kReductionOperators; }

}  // namespace vdla::import::tensor
