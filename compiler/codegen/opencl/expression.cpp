// SPDX-License-Identifier: Apache-2.0
// Values in registers. C computes narrow integers as int and leaves open what signed ones do that overflow;
// loop IR wraps in the type. So what could wrap is computed without a sign or cut to its type, and what is
// proven not to is written as it stands. Indices are int where they fit (compiler/expr/width.h), else long.
#include <fmt/core.h>

#include <cmath>

#include "compiler/codegen/opencl/context.h"
#include "compiler/expr/arith.h"
#include "compiler/expr/memory.h"
#include "compiler/expr/print.h"
#include "compiler/expr/width.h"
#include "support/error.h"
#include "support/overloaded.h"

namespace vdla::codegen::opencl {
namespace {

using expr::BinaryOp;
using expr::DType;
using expr::ExprPtr;
using expr::Function;

/// Stronger than any infix operator.
constexpr int kUnary = 100;

std::string in_parentheses(const std::string& text, bool needed) { return needed ? "(" + text + ")" : text; }

std::string float_text(double value, DType dtype) {
  if (std::isnan(value)) return dtype == DType::F64 ? "(double)NAN" : "NAN";
  if (std::isinf(value))
    return std::string(value < 0 ? "-" : "") + (dtype == DType::F64 ? "(double)INFINITY" : "INFINITY");
  std::string text =
      dtype == DType::F64 ? fmt::format("{}", value) : fmt::format("{}", static_cast<float>(value));
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return dtype == DType::F64 ? text : text + "f";
}

std::string unsigned_type(DType dtype) { return expr::bits(dtype) == 64 ? "ulong" : "uint"; }

bool is_narrow_int(DType dtype) { return expr::is_int(dtype) && expr::bits(dtype) < 32; }

/// The language takes the bits of the amount that count, of narrow integers those of an int.
ExprPtr amount_of(const expr::Binary& n) {
  const DType type = n.b->dtype;
  const std::int64_t mask = expr::shift_mask(type);
  if (const auto constant = expr::as_constant(n.b)) return expr::int_imm(*constant & mask, type);
  return is_narrow_int(type) ? expr::binary(BinaryOp::And, n.b, expr::int_imm(mask, type)) : n.b;
}

/// The language has a result for the divisor: it is not 0, nor -1, by which the minimum has none.
bool is_defined(const expr::Binary& n, const expr::Ranges& ranges) {
  const bool has_sign = expr::is_signed(n.b->dtype);
  if (const auto constant = expr::as_constant(n.b)) return *constant != 0 && !(has_sign && *constant == -1);
  const auto range = expr::bounds(n.b, ranges);
  return range && (range->low > 0 || (has_sign && range->high < -1));
}

/// Towards zero is towards minus infinity.
bool rounds_alike(const expr::Binary& n, const expr::Ranges& ranges) {
  if (!expr::is_signed(n.a->dtype)) return true;
  const auto a = expr::bounds(n.a, ranges), b = expr::bounds(n.b, ranges);
  return a && b && a->low >= 0 && b->low > 0;
}

class ScalarPrinter {
 public:
  /// `wide`: indices are long in what is printed.
  ScalarPrinter(Context& c, bool wide) : c_(c), wide_(wide) {}

  std::string print(const ExprPtr& e, int outer) {
    return std::visit(
        overloaded{
            [&](const expr::IntImm& n) { return integer(n.value, e->dtype, outer); },
            [&](const expr::FloatImm& n) {
              return in_parentheses(float_text(n.value, e->dtype), std::signbit(n.value) && outer > 0);
            },
            [&](const expr::VarRef& n) { return variable(e, *n.var); },
            [&](const expr::Binary& n) { return binary(e, n, outer); },
            [&](const expr::Not& n) { return negation(e, n, outer); },
            [&](const expr::Select& n) {
              const std::string text =
                  fmt::format("{} ? {} : {}", scalar(c_, n.condition, expr::precedence(BinaryOp::Eq)),
                              print(n.on_true, 1), print(n.on_false, 1));
              return "(" + text + ")";
            },
            [&](const expr::Cast& n) { return cast(e, n); },
            [&](const expr::Read&) -> std::string { throw InternalError("a tensor read"); },
            [&](const expr::Load& n) { return element(c_, *n.buffer, n.indices); },
            [&](const expr::Call& n) { return call(e, n); },
            [&](const expr::Reduce&) -> std::string { throw InternalError("a reduction"); },
        },
        e->node);
  }

 private:
  std::string integer(std::int64_t value, DType dtype, int outer) const {
    if (dtype == DType::Bool) return value != 0 ? "1" : "0";
    if (dtype == DType::U64) return fmt::format("{}ul", static_cast<std::uint64_t>(value));
    if (dtype == DType::U32) return fmt::format("{}u", value);
    const bool is_long = dtype == DType::I64 && wide_;
    if (value == (is_long ? INT64_MIN : INT32_MIN)) return is_long ? "LONG_MIN" : "INT_MIN";
    return in_parentheses(fmt::format("{}{}", value, is_long ? "L" : ""), value < 0 && outer > 0);
  }

  std::string variable(const ExprPtr& e, const expr::Variable& var) {
    const std::string& name = c_.names.of(&var, var.name);
    return wide_ && expr::fits_32_bits(e, c_.ranges) ? "(long)" + name : name;
  }

  /// A value of an operator's operand, whose indices have a width of their own where the result is no index.
  std::string operand(const ExprPtr& result, const ExprPtr& e, bool wide, int outer) {
    if (result->dtype == expr::kIndex || e->dtype != expr::kIndex) return print(e, outer);
    return ScalarPrinter(c_, wide).print(e, outer);
  }

  std::string binary(const ExprPtr& e, const expr::Binary& n, int outer) {
    const DType type = n.a->dtype;
    const bool compares = expr::is_comparison(n.op) && type == expr::kIndex;
    const bool wide = compares && !(expr::fits_32_bits(n.a, c_.ranges) && expr::fits_32_bits(n.b, c_.ranges));
    const auto a = [&](int strength) { return operand(e, n.a, wide, strength); };
    const ExprPtr right = expr::is_shift(n.op) ? amount_of(n) : n.b;
    const auto b = [&](int strength) { return operand(e, right, wide, strength); };
    if (expr::is_int(type) && expr::is_division(n.op)) return division(n, outer);
    if (!expr::is_infix(n.op)) return named_binary(e, n);
    const int own = expr::precedence(n.op);
    const bool arithmetic = n.op == BinaryOp::Add || n.op == BinaryOp::Sub || n.op == BinaryOp::Mul;
    const bool shifts = n.op == BinaryOp::Shl;
    if (expr::is_int(type) && (arithmetic || shifts) && !(arithmetic && cannot_wrap(e, c_.ranges))) {
      // Modulo the size of the type.
      const std::string whole = expr::is_signed(type) || is_narrow_int(type) ? unsigned_type(type) : "";
      if (!whole.empty()) {
        const std::string amount = shifts ? b(own + 1) : fmt::format("({}){}", whole, b(kUnary));
        return fmt::format("({})(({}){} {} {})", register_type(type), whole, a(kUnary), name(n.op), amount);
      }
    }
    return in_parentheses(fmt::format("{} {} {}", a(own), name(n.op), b(own + 1)), own < outer);
  }

  /// Prints a quotient or remainder of integers.
  std::string division(const expr::Binary& n, int outer) {
    const DType dtype = n.a->dtype;
    const bool quotient = expr::is_quotient(n.op);
    const bool floors =
        (n.op == BinaryOp::FloorDiv || n.op == BinaryOp::FloorMod) && !rounds_alike(n, c_.ranges);
    const std::string narrow = is_narrow_int(dtype) ? fmt::format("({})", type_of(dtype)) : "";
    const bool defined = is_defined(n, c_.ranges);
    if (defined && !floors) {
      const int own = expr::precedence(BinaryOp::Div);
      const std::string text =
          fmt::format("{} {} {}", print(n.a, own), quotient ? "/" : "%", print(n.b, own + 1));
      // Integer promotion makes an int of narrow operands: the cast takes it back.
      if (n.op == BinaryOp::Div && !narrow.empty()) return fmt::format("{}({})", narrow, text);
      return in_parentheses(text, own < outer);
    }
    std::string kind = defined ? "" : expr::is_signed(dtype) ? "any_" : "any_unsigned_";
    kind += floors ? (quotient ? "floor_div" : "floor_mod") : (quotient ? "div" : "rem");
    const std::string type = narrow.empty() ? register_type(dtype) : "int";
    return fmt::format("{}{}({}, {})", defined ? "" : narrow, c_.helpers.use(kind, type), print(n.a, 0),
                       print(n.b, 0));
  }

  std::string register_type(DType dtype) const {
    return dtype == expr::kIndex && !wide_ ? "int" : type_of(dtype);
  }

  std::string named_binary(const ExprPtr& e, const expr::Binary& n) {
    const std::string a = print(n.a, 0), b = print(n.b, 0);
    const bool is_float = expr::is_float(e->dtype);
    const std::string type = is_narrow_int(e->dtype) ? "int" : register_type(e->dtype);
    const auto called = [&](const std::string& function) {
      return fmt::format("{}({}, {})", function, a, b);
    };
    switch (n.op) {
      case BinaryOp::Min:
        if (is_float) return called(c_.helpers.use("smaller", type));
        return is_narrow_int(e->dtype)
                   ? fmt::format("min((int){}, (int){})", print(n.a, kUnary), print(n.b, kUnary))
                   : called("min");
      case BinaryOp::Max:
        if (is_float) return called(c_.helpers.use("larger", type));
        return is_narrow_int(e->dtype)
                   ? fmt::format("max((int){}, (int){})", print(n.a, kUnary), print(n.b, kUnary))
                   : called("max");
      default:
        throw InternalError("infix operator " + std::string(name(n.op)) + " is named");
    }
  }

  std::string negation(const ExprPtr& e, const expr::Not& n, int outer) {
    if (e->dtype == DType::Bool) return "!" + scalar(c_, n.a, kUnary);
    const std::string text = "~" + print(n.a, kUnary);
    return is_narrow_int(e->dtype) ? fmt::format("({})({})", type_of(e->dtype), text)
                                   : in_parentheses(text, outer > kUnary);
  }

  std::string cast(const ExprPtr& e, const expr::Cast& n) {
    const DType from = n.a->dtype, to = e->dtype;
    if (to == DType::Bool) return fmt::format("({} != 0)", scalar(c_, n.a, expr::precedence(BinaryOp::Ne)));
    const std::string type = register_type(to);
    if (expr::is_float(from) && !expr::is_float(to))
      return fmt::format("convert_{}_sat({})", type, scalar(c_, n.a));
    return fmt::format("({}){}", type, scalar(c_, n.a, kUnary));
  }

  std::string call(const ExprPtr& e, const expr::Call& n) {
    std::string arguments;
    for (const ExprPtr& a : n.arguments) arguments += (arguments.empty() ? "" : ", ") + print(a, 0);
    const auto called = [&](const std::string& function) { return function + "(" + arguments + ")"; };
    const std::string type = register_type(e->dtype);
    switch (n.function) {
      case Function::Abs:
        if (expr::is_float(e->dtype)) return called("fabs");
        return fmt::format("({})abs(({}){})", type, is_narrow_int(e->dtype) ? "int" : type,
                           print(n.arguments[0], kUnary));
      case Function::RoundEven:
        return called("rint");
      case Function::RoundTf32:
        return called(c_.helpers.use("round_tf32", "float"));
      case Function::SrdhMul:
        return called(c_.helpers.use("srdh_mul", "int"));
      case Function::RoundShiftRight:
        return called(c_.helpers.use("round_shift_right", "int"));
      case Function::BytesDot:
        return called(c_.helpers.use("bytes_dot", "int"));
      case Function::Popcount:
        if (!is_narrow_int(e->dtype)) return called("popcount");
        return fmt::format("popcount((u{}){})", expr::bits(e->dtype) == 8 ? "char" : "short",
                           print(n.arguments[0], kUnary));
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
      case Function::Clz:
        return called(std::string(name(n.function)));
    }
    return "";
  }

  Context& c_;
  const bool wide_;
};

}  // namespace

std::string type_of(DType dtype) {
  switch (dtype) {
    case DType::Bool:
    case DType::U8:
      return "uchar";
    case DType::I8:
      return "char";
    case DType::I16:
      return "short";
    case DType::U16:
      return "ushort";
    case DType::I32:
      return "int";
    case DType::U32:
      return "uint";
    case DType::I64:
      return "long";
    case DType::U64:
      return "ulong";
    case DType::F32:
      return "float";
    case DType::F64:
      return "double";
    case DType::F16:
    case DType::BF16:
      break;
  }
  throw UserError("OpenCL C of type " + std::string(expr::name(dtype)) +
                  " is not made yet: kernels take f32 and f64; cast to f32 in front of them");
}

bool cannot_wrap(const ExprPtr& e, const expr::Ranges& ranges) {
  const auto& n = *e->as<expr::Binary>();
  const auto a = expr::bounds(n.a, ranges), b = expr::bounds(n.b, ranges);
  if (!a || !b || e->dtype == DType::U64) return false;
  using Wide = __int128;
  const auto fits = [&](Wide v) {
    return v >= Wide{expr::min_value(e->dtype)} && v <= Wide{expr::max_value(e->dtype)};
  };
  switch (n.op) {
    case BinaryOp::Add:
      return fits(Wide{a->low} + b->low) && fits(Wide{a->high} + b->high);
    case BinaryOp::Sub:
      return fits(Wide{a->low} - b->high) && fits(Wide{a->high} - b->low);
    case BinaryOp::Mul:
      return fits(Wide{a->low} * b->low) && fits(Wide{a->low} * b->high) && fits(Wide{a->high} * b->low) &&
             fits(Wide{a->high} * b->high);
    default:
      return false;
  }
}

std::string scalar(Context& c, const ExprPtr& e, int outer) {
  return ScalarPrinter(c, e->dtype == expr::kIndex && !expr::fits_32_bits(e, c.ranges)).print(e, outer);
}

std::string element(Context& c, const expr::Buffer& buffer, const std::vector<ExprPtr>& indices) {
  return fmt::format("{}[{}]", c.names.of(&buffer, buffer.name),
                     scalar(c, expr::to_expr(expr::flat_offset(buffer, indices))));
}

}  // namespace vdla::codegen::opencl
