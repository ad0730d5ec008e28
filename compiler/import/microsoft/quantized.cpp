// SPDX-License-Identifier: Apache-2.0
// Operators on quantised tensors. Products of matrices add up integers; all others are computed as
// DequantizeLinear, the operator on floats, QuantizeLinear.
#include "compiler/import/microsoft/operators.h"
#include "compiler/import/tensor/functions.h"
#include "compiler/import/tensor/integer_sums.h"
#include "compiler/import/tensor/node_window.h"
#include "compiler/import/tensor/steps.h"

namespace vdla::import::microsoft {
namespace {

using expr::BinaryOp;
using expr::DType;
using graph::DataType;
using tensor::along;
using tensor::Integers;
using tensor::Node;
using tensor::Scalar;
using tensor::Value;

std::string shape_text(const Value& v) { return graph::to_string(v.shape); }

/// Input i, integers of 8 bits.
const Value& bytes_in(const Node& c, int i) {
  const Value& v = c.in(i);
  c.require(
      v.type == DataType::Int8 || v.type == DataType::UInt8,
      "has input " + std::to_string(i) + " of " + std::string(name_of(v.type)) + ", needs int8 or uint8");
  return v;
}

/// Input i, one number without dimensions: a scale or zero point of a whole tensor.
Value single(const Node& c, int i, const char* what) {
  const Value& v = c.in(i);
  c.require(v.count() == 1, std::string("has a ") + what + " (input " + std::to_string(i) + ") of " +
                                shape_text(v) + ", needs one element");
  return c.reshape(v, {});
}

/// A quantisation of a whole tensor: inputs `scale` and `scale` + 1. A zero point that the node lacks is 0.
struct Steps {
  Value scale, zero;
};
Steps steps(const Node& c, int scale, DataType type) {
  const Steps s{single(c, scale, "scale"),
                c.has(scale + 1) ? single(c, scale + 1, "zero point") : c.scalar(type, 0)};
  c.require(s.scale.type == DataType::Float32 && s.zero.type == type,
            "has a scale of " + std::string(name_of(s.scale.type)) + " and a zero point of " +
                std::string(name_of(s.zero.type)) + " (inputs " + std::to_string(scale) + " and " +
                std::to_string(scale + 1) + "), needs float32 and " + std::string(name_of(type)));
  return s;
}

Value dequantised(const Node& c, const Value& x, const Steps& s) {
  return c.map("Dequantize", {x, s.scale, s.zero},
               [](const auto& v) { return tensor::dequantised(v[0], v[1], v[2]); });
}

Value quantised(const Node& c, const Value& y, const Steps& s) {
  return c.map("Quantize", {y, s.scale, s.zero},
               [](const auto& v) { return tensor::quantised(v[0], v[1], v[2]); });
}

template <BinaryOp Op>
void arithmetic(const Node& c) {
  const Value &a = bytes_in(c, 0), &b = bytes_in(c, 3);
  const Steps of_a = steps(c, 1, a.type), of_b = steps(c, 4, b.type), of_y = steps(c, 6, a.type);
  c.require(b.type == a.type, "has inputs of " + std::string(name_of(a.type)) + " and " +
                                  std::string(name_of(b.type)) + ", needs one type");
  c.set(c.map(c.op(), {a, of_a.scale, of_a.zero, b, of_b.scale, of_b.zero, of_y.scale, of_y.zero},
              [](const auto& v) {
                const Scalar y = expr::make_binary(Op, tensor::dequantised(v[0], v[1], v[2]),
                                                   tensor::dequantised(v[3], v[4], v[5]));
                return tensor::quantised(y, v[6], v[7]);
              }));
}

template <class F>
void function(const Node& c, const F& f) {
  const Value& x = bytes_in(c, 0);
  const Steps of_x = steps(c, 1, x.type), of_y = steps(c, 3, x.type);
  c.set(c.map(c.op(), {x, of_x.scale, of_x.zero, of_y.scale, of_y.zero}, [&](const auto& v) {
    return tensor::quantised(f(tensor::dequantised(v[0], v[1], v[2])), v[3], v[4]);
  }));
}

void leaky_relu(const Node& c) {
  const double alpha = c.real("alpha");
  function(c, [&](const Scalar& x) { return tensor::leaky_relu(x, tensor::real(alpha, x)); });
}

void sigmoid(const Node& c) { function(c, tensor::sigmoid); }

/// Data with channels in dimension 1, and back.
Value channels_first(const Node& c, const Value& x) {
  if (c.integer("channels_last") == 0) return x;
  std::vector<int> perm = {0, static_cast<int>(x.rank()) - 1};
  for (std::size_t d = 1; d + 1 < x.rank(); ++d) perm.push_back(static_cast<int>(d));
  return c.transpose(x, perm);
}
Value channels_as_given(const Node& c, const Value& x) {
  if (c.integer("channels_last") == 0) return x;
  std::vector<int> perm = {0};
  for (std::size_t d = 2; d < x.rank(); ++d) perm.push_back(static_cast<int>(d));
  perm.push_back(1);
  return c.transpose(x, perm);
}

/// `pool` of the real numbers, quantised.
template <class Pool>
void pooled(const Node& c, const Pool& pool) {
  const Value& x = bytes_in(c, 0);
  c.require(x.rank() >= 3, "has data of " + shape_text(x) + ", needs N C and spatial dimensions");
  const Value y = pool(channels_first(c, dequantised(c, x, steps(c, 1, x.type))));
  c.set(channels_as_given(c, quantised(c, y, steps(c, 3, x.type))));
}

void average_pool(const Node& c) {
  pooled(c, [&](const Value& x) {
    const tensor::Shape spatial(x.shape.begin() + 2, x.shape.end());
    const tensor::WindowAttributes a = tensor::window_of(c, spatial, c.integers("kernel_shape", Integers{}));
    return tensor::average_pooled(c, x, a, c.integer("count_include_pad") != 0);
  });
}

void global_average_pool(const Node& c) {
  pooled(c, [&](const Value& x) {
    Integers axes;
    for (std::size_t d = 2; d < x.rank(); ++d) axes.push_back(static_cast<std::int64_t>(d));
    return tensor::mean_over(c, x, axes);
  });
}

/// Attribute "opset" is the operator set of the Softmax that was quantised: before 13 all dimensions from the
/// axis on count as one.
void softmax(const Node& c) {
  const Value& x = bytes_in(c, 0);
  const std::size_t axis = c.axis(c.integer("axis"), x.rank());
  const auto first = x.shape.begin() + static_cast<std::ptrdiff_t>(axis);
  const bool one_axis = c.integer("opset") >= 13;
  const Value reals = dequantised(c, x, steps(c, 1, x.type));
  const tensor::Shape rows = {graph::element_count({x.shape.begin(), first}),
                              graph::element_count({first, x.shape.end()})};
  const Value shares = one_axis ? c.softmax(reals, axis, false)
                                : c.reshape(c.softmax(c.reshape(reals, rows), 1, false), x.shape);
  c.set(quantised(c, shares, steps(c, 3, x.type)));
}

/// Inputs: scale and zero point of the output, then data, scale and zero point of each part.
void concat(const Node& c) {
  c.require(c.inputs() % 3 == 2, "has " + std::to_string(c.inputs()) +
                                     " inputs, needs 2 and 3 more for each part (data, scale, zero point)");
  const DataType type = c.in(1).type;
  const Steps of_y = steps(c, 0, type);
  std::vector<Value> parts;
  for (int i = 2; i < c.inputs(); i += 3) {
    const Value& x = bytes_in(c, i);
    c.require(x.type == type, "has input " + std::to_string(i) + " of " + std::string(name_of(x.type)) +
                                  ", needs " + std::string(name_of(type)) + ", as the output is");
    parts.push_back(quantised(c, dequantised(c, x, steps(c, i + 1, type)), of_y));
  }
  c.set(c.concat(parts, c.axis(c.integer("axis"), parts[0].rank())));
}

/// Scale or zero point of a matrix [.., K, N]: one number, or one for each column.
Value of_columns(const Node& c, int i, const Value& b) {
  const Value& v = c.in(i);
  c.require(v.count() == 1 || (v.rank() == 1 && v.count() == b.shape.back()),
            "has input " + std::to_string(i) + " of " + shape_text(v) +
                ", needs one element, or one for each of " + std::to_string(b.shape.back()) + " columns");
  return along(c, v, b.rank(), b.rank() - 1);
}

/// A zero point of that input, 0 where the node lacks it.
Value zero_of_columns(const Node& c, int i, const Value& b) {
  const Value zero = c.has(i) ? of_columns(c, i, b) : c.scalar(b.type, 0);
  c.require(zero.type == b.type, "has a zero point (input " + std::to_string(i) + ") of " +
                                     std::string(name_of(zero.type)) + ", needs " +
                                     std::string(name_of(b.type)));
  return zero;
}

/// Sums of products as real numbers, and input `bias` added, if the node has it.
void scaled(const Node& c, const Value& sums, const Value& a_scale, const Value& b_scale, int bias) {
  std::vector<Value> inputs = {sums, a_scale, b_scale};
  if (c.has(bias)) {
    c.require_broadcasts(bias, sums.shape);
    inputs.push_back(c.float_in(bias));
  }
  c.set(c.map(c.op(), inputs, [&](const auto& v) {
    const Scalar y = expr::cast(DType::F32, v[0]) * (v[1] * v[2]);
    return c.has(bias) ? Scalar(y + v[3]) : y;
  }));
}

void matmul_integer_to_float(const Node& c) {
  const Value &a = bytes_in(c, 0), &b = bytes_in(c, 1);
  c.ranked(0, 2);
  c.ranked(1, 2);
  const Value a_zero = c.has(4) ? single(c, 4, "zero point") : c.scalar(a.type, 0);
  const Value sums = tensor::integer_product(c, a, a_zero, b, zero_of_columns(c, 5, b));
  scaled(c, sums, single(c, 2, "scale"), of_columns(c, 3, b), 6);
}

void dynamic_quantize_matmul(const Node& c) {
  const Value& b = bytes_in(c, 1);
  c.ranked(0, 2);
  c.ranked(1, 2);
  const tensor::DynamicallyQuantised a = tensor::quantised_by_range(c, c.float_in(0));
  const Value sums = tensor::integer_product(c, a.integers, a.zero, b, zero_of_columns(c, 3, b));
  scaled(c, sums, a.scale, of_columns(c, 2, b), 4);
}

/// Input 6 holds integers in steps of alpha * a_scale * b_scale. Without a scale of the output that is real.
void gemm(const Node& c) {
  const Value &given_a = bytes_in(c, 0), &given_b = bytes_in(c, 3);
  c.require(
      given_a.rank() == 2 && given_b.rank() == 2,
      "has matrices of " + shape_text(given_a) + " and " + shape_text(given_b) + ", needs 2 dimensions each");
  const Value a = c.integer("transA") != 0 ? c.transpose(given_a, {1, 0}) : given_a;
  const Value b = c.integer("transB") != 0 ? c.transpose(given_b, {1, 0}) : given_b;
  const Steps of_a = steps(c, 1, a.type);
  Value sums = tensor::integer_product(c, a, of_a.zero, b, zero_of_columns(c, 5, b));
  if (c.has(6)) {
    c.require(c.in(6).type == DataType::Int32,
              "has a C (input 6) of " + std::string(name_of(c.in(6).type)) + ", needs int32");
    c.require_broadcasts(6, sums.shape);
    sums = c.binary(BinaryOp::Add, c.cast(sums, DataType::Int64), c.cast(c.in(6), DataType::Int64));
  }
  const double alpha = c.real("alpha");
  const Value a_scale =
      alpha == 1 ? of_a.scale : c.binary(BinaryOp::Mul, of_a.scale, c.scalar(DataType::Float32, alpha));
  const Value b_scale = of_columns(c, 4, b);
  if (!c.has(7)) return scaled(c, sums, a_scale, b_scale, c.inputs());
  const Steps of_y = steps(c, 7, c.has(8) ? c.in(8).type : a.type);
  c.set(tensor::requantised(c, sums, a_scale, b_scale, of_y.scale, of_y.zero));
}

constexpr tensor::Operator kQuantizedOperators[] = {
    {"DynamicQuantizeMatMul", dynamic_quantize_matmul},
    {"MatMulIntegerToFloat", matmul_integer_to_float},
    {"QGemm", gemm},
    {"QLinearAdd", arithmetic<BinaryOp::Add>},
    {"QLinearAveragePool", average_pool},
    {"QLinearConcat", concat},
    {"QLinearGlobalAveragePool", global_average_pool},
    {"QLinearLeakyRelu", leaky_relu},
    {"QLinearMul", arithmetic<BinaryOp::Mul>},
    {"QLinearSigmoid", sigmoid},
    {"QLinearSoftmax", softmax},
};

}  // namespace

std::span<const tensor::Operator> quantized_operators() { return kQuantizedOperators; }

}  // namespace vdla::import::microsoft
