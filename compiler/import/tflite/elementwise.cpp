// SPDX-License-Identifier: Apache-2.0
// Operators whose output element comes from one element of each input.
#include <fmt/format.h>

#include <cmath>

#include "compiler/import/tensor/functions.h"
#include "compiler/import/tflite/operation.h"

namespace vdla::import::tflite {
namespace {

using expr::BinaryOp;
using expr::DType;
using expr::Function;
using tensor::call;
using tensor::real;
using tensor::Scalar;

template <class F>
void unary(const Operation& c, const F& f) {
  c.set(c.map(c.op(), {c.in(0)}, [&](const auto& v) { return Scalar(f(v[0])); }));
}

template <Function F>
void function(const Operation& c) {
  unary(c, [](const Scalar& x) { return call(F, x); });
}

template <class F>
Value binary(const Operation& c, const F& f) {
  const Value a = c.in(0);
  return c.map(c.op(), {a, c.like(a, 1)}, [&](const auto& v) { return Scalar(f(v[0], v[1])); });
}

template <BinaryOp Op>
Value arithmetic(const Operation& c) {
  return binary(c, [](const Scalar& a, const Scalar& b) { return expr::make_binary(Op, a, b); });
}

template <BinaryOp Op>
void compare(const Operation& c) {
  c.set(arithmetic<Op>(c));
}

/// Arithmetic with a fused activation, which its options name.
template <BinaryOp Op, auto Options>
void fused(const Operation& c) {
  c.set(c.activated(arithmetic<Op>(c), c.options(Options).activation()));
}

/// The larger (smaller) one; of a number and NaN the second input, as the reference compares them.
template <BinaryOp Op>
void extreme(const Operation& c) {
  c.set(binary(c, [](const Scalar& a, const Scalar& b) {
    return Op == BinaryOp::Max ? select(a > b, a, b) : select(a < b, a, b);
  }));
}

/// Any number of inputs of one shape.
void add_n(const Operation& c) {
  c.require(c.inputs() > 0, "has no input, needs at least one");
  Value sum = c.in(0);
  for (int i = 1; i < c.inputs(); ++i) sum = c.binary(BinaryOp::Add, sum, c.like(sum, i));
  c.set(sum);
}

/// A quotient of floats can be rounded up to a whole number: floats are divided as doubles.
void floor_div(const Operation& c) {
  c.set(binary(c, [](const Scalar& a, const Scalar& b) {
    if (!is_float(a.dtype())) return floor_div(a, b);
    return cast(a.dtype(), call(Function::Floor, cast(DType::F64, a) / cast(DType::F64, b)));
  }));
}

/// The remainder has the sign of the divisor.
void floor_mod(const Operation& c) {
  c.set(binary(c, [](const Scalar& a, const Scalar& b) {
    if (!is_float(a.dtype())) return floor_mod(a, b);
    const Scalar rest = call(Function::Fmod, a, b);
    const Scalar zero = real(0, a);
    return select(rest != zero && (b < zero) != (rest < zero), rest + b, rest);
  }));
}

void squared_difference(const Operation& c) {
  c.set(binary(c, [](const Scalar& a, const Scalar& b) { return (a - b) * (a - b); }));
}

void power(const Operation& c) {
  c.set(binary(c, [](const Scalar& a, const Scalar& b) {
    const DType type = a.dtype(), in = is_float(type) ? type : DType::F64;
    return cast(type, call(Function::Pow, cast(in, a), cast(in, b)));
  }));
}

void atan2(const Operation& c) {
  c.set(binary(c, [](const Scalar& y, const Scalar& x) {
    const Scalar zero = real(0, x), half = real(M_PI / 2, x), turn = real(M_PI, x);
    const Scalar angle = call(Function::Atan, y / x);
    const Scalar left = select(y < zero, angle - turn, angle + turn);
    const Scalar upright = select(y > zero, half, select(y < zero, zero - half, zero));
    return select(x > zero, angle, select(x < zero, left, upright));
  }));
}

void relu(const Operation& c) { c.set(c.activated(c.in(0), Activation::RELU)); }
void relu6(const Operation& c) { c.set(c.activated(c.in(0), Activation::RELU6)); }
void relu_n1_to_1(const Operation& c) { c.set(c.activated(c.in(0), Activation::RELU_N1_TO_1)); }
void relu_0_to_1(const Operation& c) {
  unary(c, [](const Scalar& x) { return minimum(real(1, x), maximum(real(0, x), x)); });
}
void leaky_relu(const Operation& c) {
  const float alpha = c.options(&Operator::builtin_options_as_LeakyReluOptions).alpha();
  unary(c, [&](const Scalar& x) { return tensor::leaky_relu(x, real(alpha, x)); });
}
void prelu(const Operation& c) { c.set(binary(c, tensor::leaky_relu)); }
void elu(const Operation& c) {
  unary(c, [](const Scalar& x) { return tensor::elu(x, 1); });
}
void gelu(const Operation& c) {
  const bool approximate = c.options(&Operator::builtin_options_as_GeluOptions).approximate();
  unary(c, [&](const Scalar& x) { return tensor::gelu(x, approximate); });
}
void logistic(const Operation& c) { unary(c, tensor::sigmoid); }
void hard_swish(const Operation& c) { unary(c, tensor::hard_swish); }
void absolute(const Operation& c) { unary(c, tensor::absolute); }
void negative(const Operation& c) { unary(c, tensor::negative); }
void sign(const Operation& c) { unary(c, tensor::sign); }
void rsqrt(const Operation& c) {
  unary(c, [](const Scalar& x) { return real(1, x) / call(Function::Sqrt, x); });
}
void square(const Operation& c) {
  unary(c, [](const Scalar& x) { return x * x; });
}
void logical_not(const Operation& c) {
  unary(c, [](const Scalar& x) { return !x; });
}

Value select_of(const Operation& c, const Value& condition) {
  c.require_one_scale(1, 2);
  const Value a = c.in(1);
  return c.map("Select", {condition, a, c.like(a, 2)},
               [](const auto& v) { return select(v[0], v[1], v[2]); });
}
/// A condition of one dimension chooses whole rows.
void select_rows(const Operation& c) {
  Value condition = c.in(0);
  const std::size_t rank = c.in(1).rank();
  if (condition.rank() == 1 && rank > 1) {
    Shape shape(rank, 1);
    shape[0] = condition.count();
    condition = c.reshape(condition, shape);
  }
  c.set(select_of(c, condition));
}
void select_v2(const Operation& c) { c.set(select_of(c, c.in(0))); }

/// Rounds to steps of a range that is moved so that zero is one of them.
void fake_quant(const Operation& c) {
  const auto& o = c.options(&Operator::builtin_options_as_FakeQuantOptions);
  c.require(o.num_bits() >= 2 && o.num_bits() <= 16, fmt::format("has {} bits, needs 2 to 16", o.num_bits()));
  c.require(std::isfinite(o.min()) && std::isfinite(o.max()) && o.min() < o.max(),
            fmt::format("has the range {} to {}, needs one that ascends", o.min(), o.max()));
  const auto first = static_cast<float>(o.narrow_range() ? 1 : 0),
             last = static_cast<float>((1 << o.num_bits()) - 1);
  const float scale = (o.max() - o.min()) / (last - first);
  const float zero = std::clamp(std::round(first - o.min() / scale), first, last);
  const float low = (first - zero) * scale, high = (last - zero) * scale, inverse = 1.0F / scale;
  unary(c, [&](const Scalar& x) {
    const Scalar inside = minimum(real(high, x), maximum(real(low, x), x));
    return call(Function::Round, (inside - real(low, x)) * real(inverse, x)) * real(scale, x) + real(low, x);
  });
}

/// Counts the boundaries that an element reaches.
void bucketize(const Operation& c) {
  const auto* list = c.options(&Operator::builtin_options_as_BucketizeOptions).boundaries();
  const std::vector<double> boundaries =
      list ? std::vector<double>(list->begin(), list->end()) : std::vector<double>{};
  c.require(!boundaries.empty() && std::ranges::is_sorted(boundaries),
            "has boundaries that do not ascend, or none");
  const Value x = c.in(0);
  const Value compared = expr::is_float(graph::dtype_of(x.type)) ? x : c.cast(x, DataType::Float32);
  Shape each = x.shape;
  each.push_back(1);
  const auto count = static_cast<std::int64_t>(boundaries.size());
  const Value reached = c.Composer::map(
      "Reached", {c.reshape(compared, each), tensor::make_constant(compared.type, {count}, boundaries)},
      [](const auto& v) {
        const Scalar one = expr::number(1, DType::I32), none = expr::number(0, DType::I32);
        return select(v[1] <= v[0], one, none);
      });
  c.set(c.fold(expr::Reducer::Sum, reached, {static_cast<std::int64_t>(x.rank())}, false));
}

/// uint8 with a scale is stored as int8: the number in the file is 128 more.
void cast_to(const Operation& c) {
  c.require(!c.quantised_output(0), "gives integers with a scale, needs an output without one");
  Value x = c.in(0);
  if (c.quantised_input(0) && c.uint8_input(0))
    x = c.map("Byte", {x}, [](const auto& v) { return cast(DType::I32, v[0]) + 128; });
  c.set(c.cast(x, c.stated_type(0)));
}

/// Constants: of 16-bit floats, and of integers with a scale.
void dequantize(const Operation& c) {
  c.set(c.quantised_input(0) ? c.reals(0) : c.cast(c.floats(0), c.stated_type(0)));
}

/// An output of 8 or 16 bits with a scale is an operator of integers.
void quantize(const Operation& c) {
  c.require(false, fmt::format("gives {} without a scale, needs integers of 8 or 16 bits with one",
                               graph::name_of(c.stated_type(0))));
}

constexpr Row kElementwiseRows[] = {
    {"ABS", absolute, Takes::Numbers},
    {"ADD", fused<BinaryOp::Add, &Operator::builtin_options_as_AddOptions>, Takes::Numbers},
    {"ADD_N", add_n, Takes::Numbers},
    {"ATAN2", atan2, Takes::Floats},
    {"BUCKETIZE", bucketize, Takes::Numbers},
    {"CAST", cast_to, Takes::Moved},
    {"CEIL", function<Function::Ceil>, Takes::Floats},
    {"COS", function<Function::Cos>, Takes::Floats},
    {"DEQUANTIZE", dequantize, Takes::Moved},
    {"DIV", fused<BinaryOp::Div, &Operator::builtin_options_as_DivOptions>, Takes::Numbers},
    {"ELU", elu, Takes::Floats},
    {"EQUAL", compare<BinaryOp::Eq>, Takes::Any},
    {"EXP", function<Function::Exp>, Takes::Floats},
    {"FAKE_QUANT", fake_quant, Takes::Floats},
    {"FLOOR", function<Function::Floor>, Takes::Floats},
    {"FLOOR_DIV", floor_div, Takes::Numbers},
    {"FLOOR_MOD", floor_mod, Takes::Numbers},
    {"GELU", gelu, Takes::Floats},
    {"GREATER", compare<BinaryOp::Gt>, Takes::Numbers},
    {"GREATER_EQUAL", compare<BinaryOp::Ge>, Takes::Numbers},
    {"HARD_SWISH", hard_swish, Takes::Floats},
    {"LEAKY_RELU", leaky_relu, Takes::Floats},
    {"LESS", compare<BinaryOp::Lt>, Takes::Numbers},
    {"LESS_EQUAL", compare<BinaryOp::Le>, Takes::Numbers},
    {"LOG", function<Function::Log>, Takes::Floats},
    {"LOGICAL_AND", compare<BinaryOp::And>, Takes::Truths},
    {"LOGICAL_NOT", logical_not, Takes::Truths},
    {"LOGICAL_OR", compare<BinaryOp::Or>, Takes::Truths},
    {"LOGISTIC", logistic, Takes::Floats},
    {"MAXIMUM", extreme<BinaryOp::Max>, Takes::Numbers},
    {"MINIMUM", extreme<BinaryOp::Min>, Takes::Numbers},
    {"MUL", fused<BinaryOp::Mul, &Operator::builtin_options_as_MulOptions>, Takes::Numbers},
    {"NEG", negative, Takes::Numbers},
    {"NOT_EQUAL", compare<BinaryOp::Ne>, Takes::Any},
    {"POW", power, Takes::Numbers},
    {"PRELU", prelu, Takes::Floats},
    {"QUANTIZE", quantize, Takes::Moved},
    {"RELU", relu, Takes::Floats},
    {"RELU6", relu6, Takes::Floats},
    {"RELU_0_TO_1", relu_0_to_1, Takes::Floats},
    {"RELU_N1_TO_1", relu_n1_to_1, Takes::Floats},
    {"ROUND", function<Function::RoundEven>, Takes::Floats},
    {"RSQRT", rsqrt, Takes::Floats},
    {"SELECT", select_rows, Takes::Choice},
    {"SELECT_V2", select_v2, Takes::Choice},
    {"SIGN", sign, Takes::Numbers},
    {"SIN", function<Function::Sin>, Takes::Floats},
    {"SQRT", function<Function::Sqrt>, Takes::Floats},
    {"SQUARE", square, Takes::Numbers},
    {"SQUARED_DIFFERENCE", squared_difference, Takes::Numbers},
    {"SUB", fused<BinaryOp::Sub, &Operator::builtin_options_as_SubOptions>, Takes::Numbers},
    {"TANH", function<Function::Tanh>, Takes::Floats},
};

}  // namespace

std::span<const Row> elementwise_rows() { return kElementwiseRows; }

}  // namespace vdla::import::tflite
