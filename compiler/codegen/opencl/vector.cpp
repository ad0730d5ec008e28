// SPDX-License-Identifier: Apache-2.0
// Vectors: a store of a vectorized loop that all of its elements do at once. Elements that follow each other
// in memory are one access, by a pointer to vectors where the address is proven to be a multiple of their
// length, else by vload and vstore; others are gathered. What has no form for vectors is left to a loop.
#include <fmt/core.h>

#include <algorithm>

#include "compiler/codegen/opencl/context.h"
#include "compiler/expr/memory.h"
#include "compiler/expr/print.h"
#include "compiler/expr/simplify.h"
#include "compiler/expr/visit.h"
#include "support/error.h"

namespace vdla::codegen::opencl {
namespace {

using expr::Affine;
using expr::BinaryOp;
using expr::DType;
using expr::ExprPtr;
using expr::Function;

/// Vectors are computed with, not only moved.
bool computes(DType dtype) {
  return dtype == DType::F32 || dtype == DType::F64 || dtype == DType::I32 || dtype == DType::U32;
}

/// Functions that the language has for vectors by the same name.
bool is_elementwise(Function function) {
  return function == Function::Exp || function == Function::Log || function == Function::Sqrt ||
         function == Function::Tanh || function == Function::Erf || function == Function::Floor ||
         function == Function::Ceil || function == Function::Trunc || function == Function::Round;
}

class VectorPrinter {
 public:
  VectorPrinter(Context& c, const Vector& v) : c_(c), v_(v) {}

  std::optional<std::string> store(const loop::Store& n) {
    const Affine offset = offset_of(*n.buffer, n.indices);
    if (n.buffer->dtype == DType::Bool || step_of(offset) != 1) return std::nullopt;
    const auto value = print(n.value);
    if (!value) return std::nullopt;
    const Affine first = in_first(offset);
    if (is_multiple(first)) return fmt::format("{} = {};", by_pointer(*n.buffer, first, ""), *value);
    return fmt::format("vstore{}({}, 0, {} + {});", v_.lanes, *value, name_of(*n.buffer), text_of(first));
  }

 private:
  const std::string& name_of(const expr::Buffer& buffer) { return c_.names.of(&buffer, buffer.name); }
  std::string vector_of(DType dtype) const { return fmt::format("{}{}", type_of(dtype), v_.lanes); }
  std::string text_of(const Affine& a) const {
    return scalar(c_, expr::simplify(expr::to_expr(a), c_.ranges), expr::precedence(BinaryOp::Add));
  }

  static Affine offset_of(const expr::Buffer& buffer, const std::vector<ExprPtr>& indices) {
    return expr::flat_offset(buffer, indices);
  }

  /// Between elements; nothing where it is not the same between all of them.
  std::optional<std::int64_t> step_of(const Affine& offset) const {
    for (const Affine::Term& t : offset.terms)
      if (!t.atom->as<expr::VarRef>() && expr::uses(t.atom, v_.var)) return std::nullopt;
    return offset.coefficient(v_.var);
  }

  /// The value for the first element.
  Affine in_first(const Affine& offset) const { return in_element(offset, 0); }
  Affine in_element(const Affine& offset, std::int64_t lane) const {
    const std::int64_t step = offset.coefficient(v_.var);
    Affine result = offset - expr::to_affine(expr::var_ref(v_.var)) * step;
    result = result + expr::to_affine(v_.first) * step;
    result.constant += step * lane;
    return result;
  }

  bool is_multiple(const Affine& a) const {
    return a.constant % v_.lanes == 0 &&
           std::ranges::all_of(a.terms, [&](const Affine::Term& t) { return t.coefficient % v_.lanes == 0; });
  }

  std::string by_pointer(const expr::Buffer& buffer, Affine first, const char* qualifier) {
    for (Affine::Term& t : first.terms) t.coefficient /= v_.lanes;
    first.constant /= v_.lanes;
    const std::string space = buffer.scope == expr::kSharedScope ? "__local "
                              : c_.names.is_parameter(&buffer)   ? "__global "
                                                                 : "";
    return fmt::format("(({}{}{}*){})[{}]", qualifier, space, vector_of(buffer.dtype), name_of(buffer),
                       scalar(c_, expr::simplify(expr::to_expr(first), c_.ranges)));
  }

  bool is_common(const ExprPtr& e) const { return !expr::uses(e, v_.var); }

  /// The value in all elements; nothing where there is no form for it.
  std::optional<std::string> print(const ExprPtr& e) {
    if (e->dtype == DType::Bool || e->dtype == expr::kIndex) return std::nullopt;
    if (is_common(e)) return fmt::format("({})({})", vector_of(e->dtype), scalar(c_, e));
    if (const auto* n = e->as<expr::Load>()) return load(*n);
    if (const auto* n = e->as<expr::Cast>()) return cast(e, *n);
    if (const auto* n = e->as<expr::Select>()) {
      const auto a = print(n->on_true), b = print(n->on_false);
      if (!is_common(n->condition) || !a || !b) return std::nullopt;
      return fmt::format("({} ? {} : {})", scalar(c_, n->condition, expr::precedence(BinaryOp::Eq)), *a, *b);
    }
    if (!computes(e->dtype)) return std::nullopt;
    if (const auto* n = e->as<expr::Binary>()) return binary(e, *n);
    if (const auto* n = e->as<expr::Call>()) {
      if (!expr::is_float(e->dtype) || !is_elementwise(n->function)) return std::nullopt;
      const auto a = print(n->arguments[0]);
      if (!a) return std::nullopt;
      return fmt::format("{}({})", name(n->function), *a);
    }
    return std::nullopt;
  }

  std::optional<std::string> load(const expr::Load& n) {
    if (n.buffer->dtype == DType::Bool) return std::nullopt;
    const Affine offset = offset_of(*n.buffer, n.indices);
    const auto step = step_of(offset);
    if (!step) return std::nullopt;
    const Affine first = in_first(offset);
    if (*step == 1 && is_multiple(first)) return by_pointer(*n.buffer, first, "const ");
    if (*step == 1) return fmt::format("vload{}(0, {} + {})", v_.lanes, name_of(*n.buffer), text_of(first));
    std::string list;
    for (std::int64_t lane = 0; lane < v_.lanes; ++lane) {
      const ExprPtr index = expr::simplify(expr::to_expr(in_element(offset, lane)), c_.ranges);
      list += fmt::format("{}{}[{}]", lane == 0 ? "" : ", ", name_of(*n.buffer), scalar(c_, index));
    }
    return fmt::format("({})({})", vector_of(n.buffer->dtype), list);
  }

  /// To floats, and to integers that hold every value.
  std::optional<std::string> cast(const ExprPtr& e, const expr::Cast& n) {
    const DType from = n.a->dtype, to = e->dtype;
    if (expr::is_float(from) && !expr::is_float(to)) return std::nullopt;
    if (expr::is_int(to) &&
        (expr::bits(from) >= expr::bits(to) || expr::is_signed(from) != expr::is_signed(to)) &&
        !(expr::is_signed(to) && expr::bits(from) < expr::bits(to)))
      return std::nullopt;
    const auto a = print(n.a);
    if (!a) return std::nullopt;
    return fmt::format("convert_{}({})", vector_of(to), *a);
  }

  std::optional<std::string> binary(const ExprPtr& e, const expr::Binary& n) {
    const bool is_float = expr::is_float(e->dtype);
    const auto a = print(n.a), b = print(n.b);
    if (!a || !b) return std::nullopt;
    const std::string type = vector_of(e->dtype);
    switch (n.op) {
      case BinaryOp::Add:
      case BinaryOp::Sub:
      case BinaryOp::Mul:
        if (e->dtype == DType::I32 && !cannot_wrap(e, c_.ranges))
          return fmt::format("as_int{0}(as_uint{0}({1}) {2} as_uint{0}({3}))", v_.lanes, *a, name(n.op), *b);
        return fmt::format("({} {} {})", *a, name(n.op), *b);
      case BinaryOp::Div:
        if (!is_float) return std::nullopt;
        return fmt::format("({} / {})", *a, *b);
      case BinaryOp::Min:
        return fmt::format("{}({}, {})", is_float ? c_.helpers.use("smaller", type) : "min", *a, *b);
      case BinaryOp::Max:
        return fmt::format("{}({}, {})", is_float ? c_.helpers.use("larger", type) : "max", *a, *b);
      default:
        return std::nullopt;
    }
  }

  Context& c_;
  const Vector& v_;
};

}  // namespace

std::optional<std::string> vector_store(Context& c, const loop::Store& store, const Vector& v) {
  return VectorPrinter(c, v).store(store);
}

}  // namespace vdla::codegen::opencl
