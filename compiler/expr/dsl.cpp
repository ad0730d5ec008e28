// SPDX-License-Identifier: Apache-2.0
// The typing of plain numbers, and compute() from a function.
#include "compiler/expr/dsl.h"

#include <cmath>

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

Value srdh_mul(const Value& a, const Value& multiplier) { return apply(Function::SrdhMul, {a, multiplier}); }
Value round_shift_right(const Value& a, const Value& amount) {
  return apply(Function::RoundShiftRight, {a, amount});
}

Value sum(const Value& source, std::vector<IterVar> axes) {
  return reduce(Reducer::Sum, source.expr(), std::move(axes));
}
Value max(const Value& source, std::vector<IterVar> axes) {
  return reduce(Reducer::Max, source.expr(), std::move(axes));
}
Value min(const Value& source, std::vector<IterVar> axes) {
  return reduce(Reducer::Min, source.expr(), std::move(axes));
}

Value at(const Tensor& tensor, const std::vector<Value>& indices) {
  std::vector<ExprPtr> list;
  for (const Value& index : indices) list.push_back(index.as(kIndex));
  return read(tensor, std::move(list));
}

Tensor detail::compute_from(std::string name, const std::vector<std::int64_t>& shape,
                            const std::vector<std::string>& axis_names,
                            const std::function<Value(const std::vector<Value>&)>& body) {
  VDLA_CHECK_USER(axis_names.empty() || axis_names.size() == shape.size())
      << "compute '" << name << "' needs one axis name per dimension (" << shape.size() << "), got "
      << axis_names.size();
  std::vector<IterVar> axes;
  std::vector<Value> indices;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    std::string axis_name = axis_names.empty() ? "ax" + std::to_string(i) : axis_names[i];
    axes.emplace_back(std::move(axis_name), shape[i], IterKind::Spatial);
    indices.emplace_back(axes.back());
  }
  ExprPtr result = body(indices).expr();
  return compute(std::move(name), std::move(axes), std::move(result));
}

}  // namespace vdla::expr
