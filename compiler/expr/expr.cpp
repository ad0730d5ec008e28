// SPDX-License-Identifier: Apache-2.0
// Makers of expression nodes, with the type rules.
#include "compiler/expr/expr.h"

#include <limits>

#include "compiler/expr/arith.h"
#include "support/error.h"

namespace vdla::expr {
namespace {

template <class T>
ExprPtr make(DType dtype, T node) {
  return std::make_shared<const Expr>(Expr{dtype, std::move(node)});
}

bool allows(BinaryOp op, DType dtype) {
  switch (op) {
    case BinaryOp::Add:
    case BinaryOp::Sub:
    case BinaryOp::Mul:
    case BinaryOp::Div:
    case BinaryOp::Min:
    case BinaryOp::Max:
    case BinaryOp::Lt:
    case BinaryOp::Le:
    case BinaryOp::Gt:
    case BinaryOp::Ge:
      return dtype != DType::Bool;
    case BinaryOp::Rem:
    case BinaryOp::FloorDiv:
    case BinaryOp::FloorMod:
    case BinaryOp::Shl:
    case BinaryOp::Shr:
      return is_int(dtype);
    case BinaryOp::And:
    case BinaryOp::Or:
    case BinaryOp::Xor:
      return !is_float(dtype);
    case BinaryOp::Eq:
    case BinaryOp::Ne:
      return true;
  }
  return false;
}

bool allows(Function function, DType dtype) {
  switch (function) {
    case Function::Abs:
      return is_signed(dtype) || is_float(dtype);
    case Function::RoundTf32:
      return dtype == DType::F32;
    case Function::SrdhMul:
    case Function::RoundShiftRight:
    case Function::BytesDot:
      return dtype == DType::I32;
    case Function::Clz:
      return dtype == DType::I32 || dtype == DType::U32;
    case Function::Popcount:
      return is_int(dtype);
    case Function::Exp:
    case Function::Log:
    case Function::Sqrt:
    case Function::Tanh:
    case Function::Erf:
    case Function::Sin:
    case Function::Cos:
    case Function::Tan:
    case Function::Asin:
    case Function::Acos:
    case Function::Atan:
    case Function::Sinh:
    case Function::Cosh:
    case Function::Asinh:
    case Function::Acosh:
    case Function::Atanh:
    case Function::Pow:
    case Function::Fmod:
    case Function::Floor:
    case Function::Ceil:
    case Function::Trunc:
    case Function::Round:
    case Function::RoundEven:
      return is_float(dtype);
  }
  return false;
}

void check_reduce_axes(std::string_view what, const std::vector<IterVar>& axes) {
  VDLA_CHECK_USER(!axes.empty()) << "reduction '" << what << "' needs at least one axis";
  for (const IterVar& axis : axes) {
    VDLA_CHECK_USER(axis.defined() && axis.is_reduce())
        << "reduction '" << what << "' runs over a reduce_axis, got a spatial axis";
  }
}

}  // namespace

ExprPtr int_imm(std::int64_t value, DType dtype) {
  VDLA_CHECK(!is_float(dtype));
  return make(dtype, IntImm{wrap(dtype, value)});
}

ExprPtr bool_imm(bool value) { return int_imm(value, DType::Bool); }

ExprPtr float_imm(double value, DType dtype) {
  VDLA_CHECK_USER(is_float(dtype)) << "number " << value << " needs a float type, got " << name(dtype);
  return make(dtype, FloatImm{round_float(dtype, value)});
}

ExprPtr number(std::int64_t value, DType dtype) {
  if (is_float(dtype)) return float_imm(static_cast<double>(value), dtype);
  VDLA_CHECK_USER(wrap(dtype, value) == value) << "number " << value << " does not fit " << name(dtype);
  return int_imm(value, dtype);
}

ExprPtr var_ref(const VarPtr& var) { return make(var->dtype, VarRef{var}); }

ExprPtr binary(BinaryOp op, ExprPtr a, ExprPtr b) {
  VDLA_CHECK_USER(a->dtype == b->dtype)
      << "'" << name(op) << "' needs operands of one type, got " << name(a->dtype) << " and "
      << name(b->dtype) << "; cast one of them";
  VDLA_CHECK_USER(allows(op, a->dtype)) << "'" << name(op) << "' is not defined for " << name(a->dtype);
  DType dtype = is_comparison(op) ? DType::Bool : a->dtype;
  return make(dtype, Binary{op, std::move(a), std::move(b)});
}

ExprPtr logical_not(ExprPtr a) {
  VDLA_CHECK_USER(!is_float(a->dtype)) << "'!' is not defined for " << name(a->dtype);
  DType dtype = a->dtype;
  return make(dtype, Not{std::move(a)});
}

ExprPtr select(ExprPtr condition, ExprPtr on_true, ExprPtr on_false) {
  VDLA_CHECK_USER(condition->dtype == DType::Bool)
      << "the condition of select must be bool, got " << name(condition->dtype);
  VDLA_CHECK_USER(on_true->dtype == on_false->dtype)
      << "the sides of select must have one type, got " << name(on_true->dtype) << " and "
      << name(on_false->dtype);
  DType dtype = on_true->dtype;
  return make(dtype, Select{std::move(condition), std::move(on_true), std::move(on_false)});
}

ExprPtr cast(DType dtype, ExprPtr a) {
  if (a->dtype == dtype) return a;
  return make(dtype, Cast{std::move(a)});
}

void require_indices(std::string_view what, const std::string& name, std::size_t rank,
                     const std::vector<ExprPtr>& indices) {
  VDLA_CHECK_USER(indices.size() == rank)
      << what << " '" << name << "' has " << rank << " dimensions, got " << indices.size() << " indices";
  for (const ExprPtr& index : indices) {
    VDLA_CHECK_USER(index->dtype == kIndex)
        << "index of '" << name << "' must be " << vdla::expr::name(kIndex) << ", got "
        << vdla::expr::name(index->dtype);
  }
}

ExprPtr load(BufferPtr buffer, std::vector<ExprPtr> indices) {
  require_indices("buffer", buffer->name, buffer->shape.size(), indices);
  DType dtype = buffer->dtype;
  return make(dtype, Load{std::move(buffer), std::move(indices)});
}

ExprPtr call(Function function, std::vector<ExprPtr> arguments) {
  VDLA_CHECK_USER(arguments.size() == static_cast<std::size_t>(arity(function)))
      << "function '" << name(function) << "' takes " << arity(function) << " arguments, got "
      << arguments.size();
  DType dtype = arguments[0]->dtype;
  for (const ExprPtr& argument : arguments) {
    VDLA_CHECK_USER(argument->dtype == dtype)
        << "function '" << name(function) << "' needs arguments of one type, got " << name(dtype) << " and "
        << name(argument->dtype);
  }
  VDLA_CHECK_USER(allows(function, dtype))
      << "function '" << name(function) << "' is not defined for " << name(dtype);
  return make(dtype, Call{function, std::move(arguments)});
}

ExprPtr reduce(Reducer reducer, ExprPtr source, std::vector<IterVar> axes) {
  check_reduce_axes(name(reducer), axes);
  VDLA_CHECK_USER(source->dtype != DType::Bool)
      << "reduction '" << name(reducer) << "' is not defined for bool; cast the source";
  DType dtype = source->dtype;
  return make(dtype, Reduce{reducer, {std::move(source)}, std::move(axes), 0});
}

ExprPtr reduce(CombinerPtr combiner, std::vector<ExprPtr> sources, std::vector<IterVar> axes,
               std::size_t part) {
  VDLA_CHECK_USER(combiner) << "a reduction needs a combiner";
  check_reduce_axes(combiner->name, axes);
  VDLA_CHECK_USER(sources.size() == combiner->identity.size() && part < sources.size())
      << "reduction '" << combiner->name << "' has " << combiner->identity.size() << " parts, got "
      << sources.size() << " sources and part " << part;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    VDLA_CHECK_USER(sources[i]->dtype == combiner->identity[i]->dtype)
        << "reduction '" << combiner->name << "': source " << i << " must be "
        << vdla::expr::name(combiner->identity[i]->dtype) << ", got " << vdla::expr::name(sources[i]->dtype);
  }
  DType dtype = sources[part]->dtype;
  return make(dtype, Reduce{std::move(combiner), std::move(sources), std::move(axes), part});
}

ExprPtr identity(Reducer reducer, DType dtype) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  switch (reducer) {
    case Reducer::Sum:
      return number(0, dtype);
    case Reducer::Max:
      return is_float(dtype) ? float_imm(-kInfinity, dtype) : int_imm(min_value(dtype), dtype);
    case Reducer::Min:
      if (dtype == DType::U64) return int_imm(-1, dtype);  // the bit pattern of its largest value
      return is_float(dtype) ? float_imm(kInfinity, dtype) : int_imm(max_value(dtype), dtype);
    case Reducer::Prod:
      return number(1, dtype);
  }
  return nullptr;
}

ExprPtr combine(Reducer reducer, ExprPtr a, ExprPtr b) {
  switch (reducer) {
    case Reducer::Sum:
      return binary(BinaryOp::Add, std::move(a), std::move(b));
    case Reducer::Max:
      return binary(BinaryOp::Max, std::move(a), std::move(b));
    case Reducer::Min:
      return binary(BinaryOp::Min, std::move(a), std::move(b));
    case Reducer::Prod:
      return binary(BinaryOp::Mul, std::move(a), std::move(b));
  }
  return nullptr;
}

}  // namespace vdla::expr
