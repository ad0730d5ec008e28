// SPDX-License-Identifier: Apache-2.0
// The typing of plain numbers, and compute() from a function.
#include "compiler/expr/dsl.h"

#include <cmath>
#include <limits>

namespace vdla::expr {

ExprPtr Value::expr() const {
  if (expr_) return expr_;
  return is_real_ ? float_imm(real_) : int_imm(integer_);
}

ExprPtr Value::as(DType dtype) const {
  if (expr_) {
    VDLA_CHECK_USER(expr_->dtype == dtype)
        << "need an expression of type " << name(dtype) << ", got " << name(expr_->dtype) << "; cast it";
    return expr_;
  }
  if (!is_real_) return number(integer_, dtype);
  VDLA_CHECK_USER(is_float(dtype)) << "number " << real_ << " with a point cannot become " << name(dtype);
  return float_imm(real_, dtype);
}

Value make_binary(BinaryOp op, const Value& a, const Value& b) {
  if (a.is_number() && !b.is_number()) return binary(op, a.as(b.dtype()), b.expr());
  if (b.is_number() && !a.is_number()) return binary(op, a.expr(), b.as(a.dtype()));
  return binary(op, a.expr(), b.expr());
}

Value select(const Value& condition, const Value& on_true, const Value& on_false) {
  if (on_true.is_number() && !on_false.is_number()) {
    return select(condition.expr(), on_true.as(on_false.dtype()), on_false.expr());
  }
  if (on_false.is_number() && !on_true.is_number()) {
    return select(condition.expr(), on_true.expr(), on_false.as(on_true.dtype()));
  }
  return select(condition.expr(), on_true.expr(), on_false.expr());
}

Value apply(Function function, const std::vector<Value>& arguments) {
  VDLA_CHECK_USER(!arguments.empty()) << "function '" << name(function) << "' needs arguments";
  DType dtype = arguments[0].dtype();
  for (const Value& argument : arguments) {
    if (!argument.is_number()) dtype = argument.dtype();
  }
  std::vector<ExprPtr> typed;
  for (const Value& argument : arguments) typed.push_back(argument.as(dtype));
  return call(function, std::move(typed));
}

Value sigmoid(const Value& a) { return 1 / (1 + apply(Function::Exp, {-a})); }
Value is_nan(const Value& a) { return a != a; }
Value is_inf(const Value& a) {
  return apply(Function::Abs, {a}) == float_imm(std::numeric_limits<double>::infinity(), a.dtype());
}
Value srdh_mul(const Value& a, const Value& multiplier) { return apply(Function::SrdhMul, {a, multiplier}); }
Value round_shift_right(const Value& a, const Value& amount) {
  return apply(Function::RoundShiftRight, {a, amount});
}
Value round_tf32(const Value& a) { return apply(Function::RoundTf32, {a}); }
Value bytes_dot(const Value& a, const Value& b) { return apply(Function::BytesDot, {a, b}); }

Value sum(const Value& source, std::vector<IterVar> axes) {
  return reduce(Reducer::Sum, source.expr(), std::move(axes));
}
Value max(const Value& source, std::vector<IterVar> axes) {
  return reduce(Reducer::Max, source.expr(), std::move(axes));
}
Value min(const Value& source, std::vector<IterVar> axes) {
  return reduce(Reducer::Min, source.expr(), std::move(axes));
}

CombinerPtr combiner(
    std::string name, const std::vector<Value>& identity,
    const std::function<std::vector<Value>(const std::vector<Value>&, const std::vector<Value>&)>& combine) {
  Combiner made{std::move(name), {}, {}, {}, {}};
  std::vector<Value> a, b;
  for (std::size_t i = 0; i < identity.size(); ++i) {
    made.identity.push_back(identity[i].expr());
    made.a.push_back(make_var("a" + std::to_string(i), made.identity[i]->dtype));
    made.b.push_back(make_var("b" + std::to_string(i), made.identity[i]->dtype));
    a.emplace_back(made.a[i]);
    b.emplace_back(made.b[i]);
  }
  std::vector<Value> result = combine(a, b);
  for (std::size_t i = 0; i < result.size(); ++i) {
    made.result.push_back(i < a.size() ? result[i].as(made.identity[i]->dtype) : result[i].expr());
  }
  return make_combiner(std::move(made));
}

std::vector<Value> reduce(const CombinerPtr& combiner, const std::vector<Value>& sources,
                          const std::vector<IterVar>& axes) {
  VDLA_CHECK_USER(combiner) << "a reduction needs a combiner";
  std::vector<ExprPtr> typed;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    bool known = i < combiner->identity.size();
    typed.push_back(known ? sources[i].as(combiner->identity[i]->dtype) : sources[i].expr());
  }
  std::vector<Value> parts;
  for (std::size_t i = 0; i < sources.size(); ++i) parts.emplace_back(reduce(combiner, typed, axes, i));
  return parts;
}

Value at(const Tensor& tensor, const std::vector<Value>& indices) {
  std::vector<ExprPtr> list;
  for (const Value& index : indices) list.push_back(index.as(kIndex));
  return read(tensor, std::move(list));
}

namespace {

void make_axes(const std::vector<std::int64_t>& shape, const std::vector<std::string>& axis_names,
               std::vector<IterVar>& axes, std::vector<Value>& indices) {
  for (std::size_t i = 0; i < shape.size(); ++i) {
    std::string axis_name = axis_names.empty() ? "ax" + std::to_string(i) : axis_names[i];
    axes.emplace_back(std::move(axis_name), shape[i], IterKind::Spatial);
    indices.emplace_back(axes.back());
  }
}

}  // namespace

Tensor detail::compute_from(std::string name, const std::vector<std::int64_t>& shape,
                            const std::vector<std::string>& axis_names,
                            const std::function<Value(const std::vector<Value>&)>& body) {
  VDLA_CHECK_USER(axis_names.empty() || axis_names.size() == shape.size())
      << "compute '" << name << "' needs one axis name per dimension (" << shape.size() << "), got "
      << axis_names.size();
  std::vector<IterVar> axes;
  std::vector<Value> indices;
  make_axes(shape, axis_names, axes, indices);
  ExprPtr result = body(indices).expr();
  return compute(std::move(name), std::move(axes), std::move(result));
}

std::vector<Tensor> detail::compute_together_from(
    const std::vector<std::string>& names, const std::vector<std::int64_t>& shape,
    const std::function<std::vector<Value>(const std::vector<Value>&)>& bodies) {
  std::vector<IterVar> axes;
  std::vector<Value> indices;
  make_axes(shape, {}, axes, indices);
  std::vector<ExprPtr> list;
  for (const Value& body : bodies(indices)) list.push_back(body.expr());
  return compute_together(names, std::move(axes), std::move(list));
}

}  // namespace vdla::expr
