// SPDX-License-Identifier: Apache-2.0
// C++ as the tensor expression language: operators over Value, and compute() from a function of the indices.
//
//   using namespace vdla::expr;
//   Tensor a = placeholder("A", {m, l}, DType::F32), b = placeholder("B", {l, n}, DType::F32);
//   IterVar k = reduce_axis(l, "k");
//   Tensor c = compute("C", {m, n}, [&](Value i, Value j) { return sum(a(i, k) * b(k, j), {k}); });
//
// Both operands of an operator have one type (cast otherwise); a plain number takes the type of the other
// operand.
#pragma once

#include <functional>
#include <type_traits>
#include <utility>

#include "compiler/expr/tensor.h"
#include "support/error.h"

namespace vdla::expr {

/// An expression, or a plain number that has no type yet.
class Value {
 public:
  Value(ExprPtr expr) : expr_(std::move(expr)) {}
  Value(const IterVar& axis) : expr_(var_ref(axis.var())) {}
  Value(const VarPtr& var) : expr_(var_ref(var)) {}
  Value(int number) : Value(static_cast<std::int64_t>(number)) {}
  Value(std::int64_t number) : integer_(number) {}
  Value(double number) : real_(number), is_real_(true) {}

  bool is_number() const { return expr_ == nullptr; }
  /// As an expression; a number becomes an index, or F32 where it has a point.
  ExprPtr expr() const;
  /// As an expression of `dtype`: numbers convert, expressions are checked.
  ExprPtr as(DType dtype) const;
  DType dtype() const { return expr()->dtype; }
  operator ExprPtr() const { return expr(); }

  // Friends defined here, so that !pointer and pointer && pointer of ExprPtr keep their meaning. Both sides
  // are evaluated.
  friend Value operator&&(const Value& a, const Value& b) {
    return binary(BinaryOp::And, a.as(DType::Bool), b.as(DType::Bool));
  }
  friend Value operator||(const Value& a, const Value& b) {
    return binary(BinaryOp::Or, a.as(DType::Bool), b.as(DType::Bool));
  }
  friend Value operator!(const Value& a) { return logical_not(a.expr()); }

 private:
  ExprPtr expr_;
  std::int64_t integer_ = 0;
  double real_ = 0;
  bool is_real_ = false;
};

Value make_binary(BinaryOp op, const Value& a, const Value& b);

inline Value operator+(const Value& a, const Value& b) { return make_binary(BinaryOp::Add, a, b); }
inline Value operator-(const Value& a, const Value& b) { return make_binary(BinaryOp::Sub, a, b); }
inline Value operator*(const Value& a, const Value& b) { return make_binary(BinaryOp::Mul, a, b); }
/// Integers: towards zero.
inline Value operator/(const Value& a, const Value& b) { return make_binary(BinaryOp::Div, a, b); }
inline Value operator<<(const Value& a, const Value& b) { return make_binary(BinaryOp::Shl, a, b); }
inline Value operator>>(const Value& a, const Value& b) { return make_binary(BinaryOp::Shr, a, b); }
inline Value operator&(const Value& a, const Value& b) { return make_binary(BinaryOp::And, a, b); }
inline Value operator|(const Value& a, const Value& b) { return make_binary(BinaryOp::Or, a, b); }
inline Value operator^(const Value& a, const Value& b) { return make_binary(BinaryOp::Xor, a, b); }
inline Value operator==(const Value& a, const Value& b) { return make_binary(BinaryOp::Eq, a, b); }
inline Value operator!=(const Value& a, const Value& b) { return make_binary(BinaryOp::Ne, a, b); }
inline Value operator<(const Value& a, const Value& b) { return make_binary(BinaryOp::Lt, a, b); }
inline Value operator<=(const Value& a, const Value& b) { return make_binary(BinaryOp::Le, a, b); }
inline Value operator>(const Value& a, const Value& b) { return make_binary(BinaryOp::Gt, a, b); }
inline Value operator>=(const Value& a, const Value& b) { return make_binary(BinaryOp::Ge, a, b); }
inline Value floor_div(const Value& a, const Value& b) { return make_binary(BinaryOp::FloorDiv, a, b); }
inline Value floor_mod(const Value& a, const Value& b) { return make_binary(BinaryOp::FloorMod, a, b); }
inline Value minimum(const Value& a, const Value& b) { return make_binary(BinaryOp::Min, a, b); }
inline Value maximum(const Value& a, const Value& b) { return make_binary(BinaryOp::Max, a, b); }
/// Into [low, high].
inline Value clamp(const Value& a, const Value& low, const Value& high) {
  return minimum(maximum(a, low), high);
}
inline Value operator-(const Value& a) { return make_binary(BinaryOp::Sub, 0, a); }
inline Value cast(DType dtype, const Value& a) { return a.is_number() ? a.as(dtype) : cast(dtype, a.expr()); }

/// Only the chosen side is evaluated.
Value select(const Value& condition, const Value& on_true, const Value& on_false);
Value apply(Function function, const std::vector<Value>& arguments);
/// 1 / (1 + exp(-a))
Value sigmoid(const Value& a);
Value is_nan(const Value& a);
Value is_inf(const Value& a);
Value srdh_mul(const Value& a, const Value& multiplier);
Value round_shift_right(const Value& a, const Value& amount);
/// Dot product of four uint8 and four int8, the first ones in the lowest bits.
Value bytes_dot(const Value& a, const Value& b);
Value round_tf32(const Value& a);

Value sum(const Value& source, std::vector<IterVar> axes);
Value max(const Value& source, std::vector<IterVar> axes);
Value min(const Value& source, std::vector<IterVar> axes);

/// A reduction of one's own over values with one or several parts: `identity` is what changes no other value,
/// `combine` gets the parts of two values and returns those of the combined one.
///
///   auto argmax = combiner("argmax", {float_imm(-INFINITY), int_imm(INT64_MAX)}, [](auto& a, auto& b) {
///     Value first = a[0] > b[0] || (a[0] == b[0] && a[1] < b[1]);      // the first of several: commutative
///     return std::vector<Value>{select(first, a[0], b[0]), select(first, a[1], b[1])};
///   });
///   std::vector<Tensor> both = compute_together({"value", "index"}, {n}, [&](const std::vector<Value>& i) {
///     return reduce(argmax, {x(i[0], k), k}, {k});
///   });
CombinerPtr combiner(
    std::string name, const std::vector<Value>& identity,
    const std::function<std::vector<Value>(const std::vector<Value>&, const std::vector<Value>&)>& combine);
/// All parts of a declared reduction.
std::vector<Value> reduce(const CombinerPtr& combiner, const std::vector<Value>& sources,
                          const std::vector<IterVar>& axes);

template <class... Indices>
auto Tensor::operator()(const Indices&... indices) const {
  return Value(read(*this, {Value(indices).as(kIndex)...}));
}
/// Element at a list of indices.
Value at(const Tensor& tensor, const std::vector<Value>& indices);

namespace detail {
template <class F, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return std::is_invocable_v<const F&, decltype((void)I, std::declval<Value>())...>;
}
template <std::size_t N = 1, class F>
Value apply(const F& function, const std::vector<Value>& indices) {
  static_assert(N <= 8, "compute() takes a function of 1 to 8 Values, or of a std::vector<Value>");
  if constexpr (takes<F>(std::make_index_sequence<N>{})) {
    VDLA_CHECK_USER(indices.size() == N)
        << "the function of compute takes " << N << " indices, the shape has " << indices.size();
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return Value(function(indices[I]...));
    }(std::make_index_sequence<N>{});
  } else {
    return apply<N + 1>(function, indices);
  }
}
Tensor compute_from(std::string name, const std::vector<std::int64_t>& shape,
                    const std::vector<std::string>& axis_names,
                    const std::function<Value(const std::vector<Value>&)>& body);
std::vector<Tensor> compute_together_from(
    const std::vector<std::string>& names, const std::vector<std::int64_t>& shape,
    const std::function<std::vector<Value>(const std::vector<Value>&)>& bodies);
}  // namespace detail

/// Several tensors of one shape, computed together: the function returns their elements, or the parts of one
/// reduction, for a list of indices.
template <class F>
std::vector<Tensor> compute_together(const std::vector<std::string>& names,
                                     const std::vector<std::int64_t>& shape, const F& function) {
  return detail::compute_together_from(names, shape, function);
}

/// A tensor whose element [i, j, ...] is function(i, j, ...), or function(indices). Axes are named ax0, ax1,
/// ... unless names are given.
template <class F>
Tensor compute(std::string name, const std::vector<std::int64_t>& shape, const F& function,
               const std::vector<std::string>& axis_names = {}) {
  return detail::compute_from(std::move(name), shape, axis_names, [&](const std::vector<Value>& indices) {
    if constexpr (std::is_invocable_v<F, std::vector<Value>>) {
      return Value(function(indices));
    } else {
      return detail::apply(function, indices);
    }
  });
}

}  // namespace vdla::expr
