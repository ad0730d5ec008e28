// SPDX-License-Identifier: Apache-2.0
#include "compiler/intrinsics/meaning.h"

#include "compiler/expr/dsl.h"

namespace vdla::intrinsics {
namespace {

using expr::DType;
using expr::Value;
using isa::Term;
using isa::TermKind;

DType dtype_of_term(isa::TermType type) {
  switch (type) {
    case isa::TermType::I32:
      return DType::I32;
    case isa::TermType::U32:
      return DType::U32;
    case isa::TermType::U64:
      return DType::U64;
    case isa::TermType::Bool:
      return DType::Bool;
  }
  return DType::I32;
}

Value bits_of(const Value& a, std::int64_t low, unsigned width) {
  const Value mask((std::int64_t{1} << width) - 1);
  return low == 0 ? a & mask : (a >> Value(low)) & mask;
}

Value value_of_term(const Term& term, const std::function<const Value&(unsigned)>& of, const Leaves& leaves) {
  switch (term.kind) {
    case TermKind::X:
      return leaves.x;
    case TermKind::P:
      return leaves.p(static_cast<unsigned>(term.number));
    case TermKind::Field:
      return leaves.field(term.field, dtype_of_term(term.type));
    case TermKind::Constant:
      return expr::int_imm(term.number, dtype_of_term(term.type));
    case TermKind::Bits:
      return bits_of(of(0), term.number, term.width);
    case TermKind::Cast:
      return expr::cast(dtype_of_term(term.type), of(0).expr());
    case TermKind::Add:
      return of(0) + of(1);
    case TermKind::Subtract:
      return of(0) - of(1);
    case TermKind::Multiply:
      return of(0) * of(1);
    case TermKind::ShiftLeft:
      return of(0) << of(1);
    case TermKind::ShiftRight:
      return of(0) >> of(1);
    case TermKind::Less:
      return of(0) < of(1);
    case TermKind::Select:
      return expr::select(of(0), of(1), of(2));
    case TermKind::Max:
      return expr::maximum(of(0), of(1));
    case TermKind::Min:
      return expr::minimum(of(0), of(1));
    case TermKind::Magnitude:
      return expr::apply(expr::Function::Abs, {of(0)});
    case TermKind::SrdhMul:
      return expr::srdh_mul(of(0), of(1));
    case TermKind::RoundShiftRight:
      return expr::round_shift_right(of(0), of(1));
  }
  return leaves.x;
}

}  // namespace

expr::ExprPtr expression_of(const isa::Meaning& meaning, const Leaves& leaves) {
  std::vector<Value> values;
  for (std::size_t i = 0; i < meaning.size; ++i) {
    const Term& term = meaning.terms[i];
    const auto of = [&](unsigned operand) -> const Value& { return values[term.of[operand]]; };
    values.push_back(value_of_term(term, of, leaves));
  }
  return values.back().expr();
}

}  // namespace vdla::intrinsics
