// SPDX-License-Identifier: Apache-2.0
// Operators whose output element comes from one element of each input.
#include <limits>

#include "compiler/import/tensor/functions.h"
#include "compiler/import/tensor/narrow.h"
#include "compiler/import/tensor/node.h"

namespace vdla::import::tensor {
namespace {

using expr::BinaryOp;
using expr::DType;
using expr::Function;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// An operator of one input in its type.
template <class F>
void unary(const Node& c, const F& f) {
  c.set(c.map(c.op(), {c.in(0)}, [&](const auto& v) { return Scalar(f(v[0])); }));
}

/// Refuses integers, over which the function has no meaning.
template <class F>
void of_reals(const Node& c, const F& f) {
  c.float_in(0);
  unary(c, f);
}

template <Function F>
void function(const Node& c) {
  of_reals(c, [](const Scalar& x) { return call(F, x); });
}

/// Input 1 as it broadcasts over input 0. Before operator set 7 both have one shape, or an attribute asks for
/// a broadcast and says at which dimension of input 0 the dimensions of input 1 begin.
Value second(const Node& c) {
  const Value &a = c.in(0), &b = c.in(1);
  if (c.opset() >= 7 || a.shape == b.shape) return b;
  const auto shapes = [&] { return graph::to_string(a.shape) + " and " + graph::to_string(b.shape); };
  c.require(c.integer("broadcast") != 0,
            "has inputs of " + shapes() + ", needs one shape, or broadcast = 1 before operator set 7");
  if (b.count() == 1) return c.reshape(b, {});
  c.require(b.rank() <= a.rank(), "broadcasts " + shapes() + ", needs input 1 of fewer dimensions");
  const auto last = static_cast<std::int64_t>(a.rank() - b.rank());
  const std::size_t first = c.axis(c.integer("axis", last), a.rank());
  c.require(first + b.rank() <= a.rank(), "broadcasts " + shapes() + " from dimension " +
                                              std::to_string(first) + " on, needs at most " +
                                              std::to_string(last));
  Shape shape = b.shape;
  shape.resize(a.rank() - first, 1);
  return c.reshape(b, shape);
}

template <class F>
void binary(const Node& c, const Value& b, const F& f) {
  const Value& a = c.in(0);
  c.require(a.type == b.type, "has inputs of " + std::string(name_of(a.type)) + " and " +
                                  std::string(name_of(b.type)) + ", needs one type");
  c.set(c.map(c.op(), {a, b}, [&](const auto& v) { return Scalar(f(v[0], v[1])); }));
}
template <class F>
void binary(const Node& c, const F& f) {
  binary(c, second(c), f);
}

template <BinaryOp Op>
void arithmetic(const Node& c) {
  binary(c, [](const Scalar& a, const Scalar& b) { return expr::make_binary(Op, a, b); });
}

/// Inputs of one expression: those of an operator with more are combined by several, one after the other.
constexpr std::size_t kMostInputs = 64;

/// Any number of inputs, combined from left to right. A `combine` that writes its first operand several times
/// takes two inputs in one expression: each further one would multiply the size.
template <class Combine>
Value combined(const Node& c, const Combine& combine, std::size_t most_inputs = kMostInputs) {
  c.require(c.inputs() > 0, "has no input, needs at least one");
  Value result = c.in(0);
  for (int next = 1; next < c.inputs();) {
    std::vector<Value> some = {result};
    while (next < c.inputs() && some.size() < most_inputs) some.push_back(c.in(next++));
    result = c.map(c.op(), some, [&](const auto& v) {
      Scalar best = v[0];
      for (std::size_t i = 1; i < v.size(); ++i) best = combine(best, v[i]);
      return best;
    });
  }
  return result;
}

void sum(const Node& c) {
  c.set(combined(c, [](const Scalar& a, const Scalar& b) { return a + b; }));
}

void mean_of_inputs(const Node& c) {
  c.float_in(0);
  const Value total = combined(c, [](const Scalar& a, const Scalar& b) { return a + b; });
  const auto count = static_cast<double>(c.inputs());
  c.set(c.map(c.op(), {total}, [&](const auto& v) { return v[0] / real(count, v[0]); }));
}

template <BinaryOp Op>
void extremes(const Node& c) {
  c.set(combined(c, extreme<Op>, is_float(graph::dtype_of(c.in(0).type)) ? 2 : kMostInputs));
}

void absolute_value(const Node& c) { unary(c, absolute); }
void negative_value(const Node& c) { unary(c, negative); }
void reciprocal(const Node& c) {
  of_reals(c, [](const Scalar& x) { return real(1, x) / x; });
}
void sigmoid_value(const Node& c) { of_reals(c, sigmoid); }
void relu_value(const Node& c) { unary(c, relu); }
void sign_value(const Node& c) { unary(c, sign); }
void softplus(const Node& c) {
  of_reals(c, [](const Scalar& x) {
    return maximum(x, real(0, x)) +
           call(Function::Log, real(1, x) + call(Function::Exp, real(0, x) - call(Function::Abs, x)));
  });
}
void softsign(const Node& c) {
  of_reals(c, [](const Scalar& x) { return x / (real(1, x) + call(Function::Abs, x)); });
}
void elu_value(const Node& c) {
  const double alpha = c.real("alpha");
  of_reals(c, [&](const Scalar& x) { return elu(x, alpha); });
}
void selu(const Node& c) {
  const double alpha = c.real("alpha");
  const double gamma = c.real("gamma");
  of_reals(c, [&](const Scalar& x) {
    return real(gamma, x) * select(x > 0, x, real(alpha, x) * call(Function::Exp, x) - real(alpha, x));
  });
}
void celu(const Node& c) {
  const double alpha = c.real("alpha");
  of_reals(c, [&](const Scalar& x) {
    const Scalar below = real(alpha, x) * (call(Function::Exp, x / real(alpha, x)) - real(1, x));
    return maximum(x, real(0, x)) + minimum(real(0, x), below);
  });
}
void leaky_relu_value(const Node& c) {
  const double alpha = c.real("alpha");
  of_reals(c, [&](const Scalar& x) { return leaky_relu(x, real(alpha, x)); });
}
void thresholded_relu(const Node& c) {
  const double alpha = c.real("alpha");
  of_reals(c, [&](const Scalar& x) { return select(x > real(alpha, x), x, real(0, x)); });
}
void hard_sigmoid(const Node& c) {
  const double alpha = c.real("alpha"), beta = c.real("beta");
  of_reals(c, [&](const Scalar& x) {
    // NaN stays in this order, as in clip().
    return minimum(real(1, x), maximum(real(0, x), x * real(alpha, x) + real(beta, x)));
  });
}
void hard_swish_value(const Node& c) { of_reals(c, hard_swish); }
void shrink(const Node& c) {
  const double bias = c.real("bias"), lambda = c.real("lambd");
  unary(c, [&](const Scalar& x) {
    const DType t = x.dtype();
    const Scalar wide = is_float(t) ? x : cast(DType::F32, x);
    const Scalar y = select(wide < real(-lambda, wide), wide + real(bias, wide),
                            select(wide > real(lambda, wide), wide - real(bias, wide), real(0, wide)));
    return cast(t, y);
  });
}
void is_nan(const Node& c) {
  unary(c, [](const Scalar& x) { return x != x; });
}
void is_inf(const Node& c) {
  const bool above = c.integer("detect_positive") != 0, below = c.integer("detect_negative") != 0;
  of_reals(c, [&](const Scalar& x) {
    const Scalar high = x == real(kInfinity, x), low = x == real(-kInfinity, x);
    if (above && below) return high || low;
    return above ? high : below ? low : Scalar(x != x && x == x);
  });
}
void logical_not(const Node& c) {
  unary(c, [](const Scalar& x) { return !x; });
}
void gelu_value(const Node& c) {
  const bool approximate = c.word("approximate", {"none", "tanh"}) == "tanh";
  of_reals(c, [&](const Scalar& x) { return gelu(x, approximate); });
}
void swish_value(const Node& c) {
  const double alpha = c.real("alpha");
  of_reals(c, [&](const Scalar& x) { return swish(x, alpha); });
}
void mish(const Node& c) {
  of_reals(c, [](const Scalar& x) {
    const Scalar plus =
        maximum(x, real(0, x)) +
        call(Function::Log, real(1, x) + call(Function::Exp, real(0, x) - call(Function::Abs, x)));
    return x * call(Function::Tanh, plus);
  });
}

/// Before operator set 7 a slope of several elements has one for each channel, which is dimension 1.
Value slope(const Node& c) {
  const Value &x = c.in(0), &slope = c.in(1);
  if (c.opset() >= 7 || x.shape == slope.shape) return slope;
  if (slope.count() == 1) return c.reshape(slope, {});
  c.require(x.rank() >= 2 && slope.shape == Shape{x.shape[1]},
            "has a slope of " + graph::to_string(slope.shape) + " for " + graph::to_string(x.shape) +
                ", needs one element, or one for each channel, before operator set 7");
  Shape shape(x.rank() - 1, 1);
  shape[0] = slope.count();
  return c.reshape(slope, shape);
}

void prelu(const Node& c) { binary(c, slope(c), leaky_relu); }

void remainder(const Node& c) {
  const bool truncates = c.integer("fmod") != 0;
  const Value& x = c.in(0);
  const bool real_type = is_float(graph::dtype_of(x.type));
  c.require(truncates || !real_type, "needs fmod = 1 for " + std::string(name_of(x.type)));
  binary(c, [&](const Scalar& a, const Scalar& b) {
    if (real_type) return call(Function::Fmod, a, b);
    return expr::make_binary(truncates ? BinaryOp::Rem : BinaryOp::FloorMod, a, b);
  });
}

void power(const Node& c) {
  const Value &a = c.in(0), b = second(c);
  const DType base = graph::dtype_of(a.type), exponent = graph::dtype_of(b.type);
  const DType in = is_float(base) ? base : is_float(exponent) ? exponent : DType::F64;
  c.set(c.map("Pow", {a, b}, [&](const auto& v) {
    return cast(base, call(Function::Pow, cast(in, v[0]), cast(in, v[1])));
  }));
}

void where(const Node& c) {
  c.set(c.map("Where", {c.in(0), c.in(1), c.in(2)}, [](const auto& v) { return select(v[0], v[1], v[2]); }));
}

/// Bounds are inputs from operator set 11 on, before attributes; those of 6 to 10 have defaults, which limit
/// infinities to numbers.
void clip(const Node& c) {
  const Value x = c.in(0);
  std::vector<Value> inputs = {x};
  const auto bound = [&](int i, const char* attribute) {
    if (c.has(i)) return inputs.push_back(c.in(i)), true;
    if (c.opset() >= 11 || (c.opset() < 6 && c.find(attribute) == nullptr)) return false;
    return inputs.push_back(c.scalar(x.type, c.real(attribute))), true;
  };
  const bool low = bound(1, "min"), high = bound(2, "max");
  c.set(c.map("Clip", inputs, [&](const auto& v) {
    Scalar y = v[0];
    if (low) y = maximum(v[1], y);  // NaN stays in this order
    if (high) y = minimum(v.back(), y);
    return y;
  }));
}

/// Before operator set 6 the type is written as ONNX's name of it.
int target(const Node& c) {
  if (c.opset() >= 6) return static_cast<int>(c.integer("to"));
  const std::string name = c.text("to");
  auto type = onnx::TensorProto::UNDEFINED;
  c.require(onnx::TensorProto::DataType_Parse(name, &type),
            "casts to '" + name + "', needs the name of a type, such as FLOAT");
  return type;
}

void cast_as(const Node& c, DataType type, Narrow narrow) {
  const Value x = numbers_of(c, c.in(0));
  if (narrow == Narrow::None) return c.set(c.cast(x, type));
  c.set(narrowed(c, x, narrow, {c.integer("saturate", 1) != 0, c.text("round_mode", "up")}));
}

void cast_to(const Node& c) {
  const auto [type, narrow] = typed_of(target(c), c.where());
  cast_as(c, type, narrow);
}
void cast_like(const Node& c) { cast_as(c, c.in(1).type, c.in(1).narrow); }

constexpr Operator kElementwiseOperators[] = {
    {"Abs", absolute_value},
    {"Acos", function<Function::Acos>},
    {"Acosh", function<Function::Acosh>},
    {"Add", arithmetic<BinaryOp::Add>},
    {"And", arithmetic<BinaryOp::And>},
    {"Asin", function<Function::Asin>},
    {"Asinh", function<Function::Asinh>},
    {"Atan", function<Function::Atan>},
    {"Atanh", function<Function::Atanh>},
    {"Cast", cast_to},
    {"CastLike", cast_like},
    {"Ceil", function<Function::Ceil>},
    {"Celu", celu},
    {"Clip", clip},
    {"Cos", function<Function::Cos>},
    {"Cosh", function<Function::Cosh>},
    {"Div", arithmetic<BinaryOp::Div>},
    {"Elu", elu_value},
    {"Equal", arithmetic<BinaryOp::Eq>},
    {"Erf", function<Function::Erf>},
    {"Exp", function<Function::Exp>},
    {"Floor", function<Function::Floor>},
    {"Gelu", gelu_value},
    {"Greater", arithmetic<BinaryOp::Gt>},
    {"GreaterOrEqual", arithmetic<BinaryOp::Ge>},
    {"HardSigmoid", hard_sigmoid},
    {"HardSwish", hard_swish_value},
    {"IsInf", is_inf},
    {"IsNaN", is_nan},
    {"LeakyRelu", leaky_relu_value},
    {"Less", arithmetic<BinaryOp::Lt>},
    {"LessOrEqual", arithmetic<BinaryOp::Le>},
    {"Log", function<Function::Log>},
    {"Max", extremes<BinaryOp::Max>},
    {"Mean", mean_of_inputs},
    {"Min", extremes<BinaryOp::Min>},
    {"Mish", mish},
    {"Mod", remainder},
    {"Mul", arithmetic<BinaryOp::Mul>},
    {"Neg", negative_value},
    {"Not", logical_not},
    {"Or", arithmetic<BinaryOp::Or>},
    {"PRelu", prelu},
    {"Pow", power},
    {"Reciprocal", reciprocal},
    {"Relu", relu_value},
    {"Round", function<Function::RoundEven>},
    {"Selu", selu},
    {"Shrink", shrink},
    {"Sigmoid", sigmoid_value},
    {"Sign", sign_value},
    {"Sin", function<Function::Sin>},
    {"Sinh", function<Function::Sinh>},
    {"Softplus", softplus},
    {"Softsign", softsign},
    {"Sqrt", function<Function::Sqrt>},
    {"Sub", arithmetic<BinaryOp::Sub>},
    {"Sum", sum},
    {"Swish", swish_value},
    {"Tan", function<Function::Tan>},
    {"Tanh", function<Function::Tanh>},
    {"ThresholdedRelu", thresholded_relu},
    {"Where", where},
    {"Xor", arithmetic<BinaryOp::Xor>},
};

}  // namespace

std::span<const Operator> elementwise_operators() { return kElementwiseOperators; }

}  // namespace vdla::import::tensor
