// SPDX-License-Identifier: Apache-2.0
// Operators on the bits of elements.
#include "compiler/expr/arith.h"
#include "compiler/import/tensor/node.h"
#include "compiler/import/tensor/scalar.h"

namespace vdla::import::tensor {
namespace {

using expr::BinaryOp;
using expr::DType;

const Value& integer_in(const Node& c, int i) {
  const Value& v = c.in(i);
  c.require(expr::is_int(graph::dtype_of(v.type)),
            "has input " + std::to_string(i) + " of " + std::string(name_of(v.type)) + ", needs integers");
  return v;
}

template <BinaryOp Op>
void bitwise(const Node& c) {
  const Value &a = integer_in(c, 0), &b = integer_in(c, 1);
  c.require(a.type == b.type, "has inputs of " + std::string(name_of(a.type)) + " and " +
                                  std::string(name_of(b.type)) + ", needs one type");
  c.set(c.binary(Op, a, b));
}

void bitwise_not(const Node& c) {
  c.set(c.map("BitwiseNot", {integer_in(c, 0)}, [](const auto& v) {
    const DType type = v[0].dtype();
    return v[0] ^ Scalar(expr::number(expr::wrap(type, -1), type));
  }));
}

void bit_shift(const Node& c) {
  const BinaryOp op = c.word("direction", {"LEFT", "RIGHT"}) == "LEFT" ? BinaryOp::Shl : BinaryOp::Shr;
  const Value &a = integer_in(c, 0), &b = integer_in(c, 1);
  c.require(a.type == b.type, "has inputs of " + std::string(name_of(a.type)) + " and " +
                                  std::string(name_of(b.type)) + ", needs one type");
  c.set(c.map("BitShift", {a, b}, [&](const auto& v) {  // a shift by the width or more leaves nothing
    const std::int64_t bits = expr::bits(v[0].dtype());
    const Scalar shifted = expr::make_binary(op, v[0], minimum(v[1], bits - 1));
    return select(v[1] < bits, shifted, Scalar(expr::number(0, v[0].dtype())));
  }));
}

/// Elements of a constant as others of the same bytes.
Value reinterpreted(const Value& x, DataType type) {
  Value result = x;
  result.type = type;
  result.id = graph::kNone;
  return result;
}

/// Between integers of one width a cast keeps the bits, and so does one from bool.
void bit_cast(const Node& c) {
  const Value& x = c.in(0);
  const DataType type = type_of(static_cast<int>(c.integer("to")), c.where());
  const auto text = [](DataType t) { return std::string(name_of(t)); };
  c.require(graph::bytes_of(type) == graph::bytes_of(x.type),
            "reinterprets " + text(x.type) + " as " + text(type) + ", needs a type of as many bytes");
  const DType from = graph::dtype_of(x.type), to = graph::dtype_of(type);
  const bool keeps = type == x.type || (expr::is_int(to) && (expr::is_int(from) || from == DType::Bool));
  if (keeps) return c.set(c.cast(x, type));
  c.require(x.constant() && to != DType::Bool, "reinterprets " + text(x.type) + " as " + text(type) +
                                                   " when the model runs, needs integers or a constant");
  c.set(reinterpreted(x, type));
}

constexpr Operator kBitOperators[] = {
    {"BitCast", bit_cast},
    {"BitShift", bit_shift},
    {"BitwiseAnd", bitwise<BinaryOp::And>},
    {"BitwiseNot", bitwise_not},
    {"BitwiseOr", bitwise<BinaryOp::Or>},
    {"BitwiseXor", bitwise<BinaryOp::Xor>},
};

}  // namespace

std::span<const Operator> bit_operators() { return kBitOperators; }

}  // namespace vdla::import::tensor
