// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/qoperator/definitions.h"

#include <algorithm>
#include <string_view>

#include "compiler/import/onnx_body.h"

namespace vdla::import::qoperator {
namespace {

using tensor::DataType;
using tensor::Node;
using tensor::Shape;
using tensor::Value;

bool is_bytes(const Value& v) { return v.type == DataType::Int8 || v.type == DataType::UInt8; }

/// Whether inputs `scale` and `scale` + 1 are constants: one scale and zero point, or as many as `most`.
bool has_scales(const Node& c, int scale, std::int64_t most = 1) {
  if (!c.has(scale) || !c.as_it_is(scale).constant()) return false;
  const std::int64_t count = c.as_it_is(scale).count();
  if (count != 1 && count != most) return false;
  if (!c.has(scale + 1)) return true;
  const Value& zero = c.as_it_is(scale + 1);
  return zero.constant() && is_bytes(zero) && (zero.count() == 1 || zero.count() == most);
}

/// Whether input i is integers of 8 bits with constant scales beside it.
bool is_operand(const Node& c, int i, std::int64_t most = 1) {
  return c.has(i) && is_bytes(c.as_it_is(i)) && has_scales(c, i + 1, most);
}

std::string quantisation(Body& body, const Node& c, const std::string& op, const std::string& value,
                         int scale, std::int64_t axis) {
  std::vector<std::string> inputs{value, Body::input(scale)};
  if (c.has(scale + 1)) inputs.push_back(Body::input(scale + 1));
  return body.add(op, inputs, {attribute("axis", axis)});
}

/// Input i, whose scale and zero point come after it, as real numbers.
std::string reals(Body& body, const Node& c, int i, std::int64_t axis = 0) {
  return quantisation(body, c, "DequantizeLinear", Body::input(i), i + 1, axis);
}

onnx::FunctionProto quantised(Body& body, const Node& c, const std::string& y, int scale) {
  return body.made(quantisation(body, c, "QuantizeLinear", y, scale, 0));
}

std::vector<onnx::AttributeProto> attributes_without(const Node& c, std::string_view left_out) {
  std::vector<onnx::AttributeProto> result;
  for (const onnx::AttributeProto& a : c.proto().attribute())
    if (a.name() != left_out) result.push_back(a);
  return result;
}

/// A bias of int32 in steps of the products: input i.
std::string bias_of(Body& body, const Node& c, int i, int x_scale, int w_scale) {
  const double step = tensor::reals_of(c.as_it_is(x_scale))[0];
  std::vector<double> scales = tensor::reals_of(c.as_it_is(w_scale));
  for (double& s : scales) s *= step;
  const auto count = static_cast<std::int64_t>(scales.size());
  return body.add("DequantizeLinear",
                  {Body::input(i), body.numbers(scales, count == 1 ? Shape{} : Shape{count})},
                  {attribute("axis", 0)});
}

bool is_bias(const Node& c, int i) {
  return !c.has(i) || (c.as_it_is(i).constant() && c.as_it_is(i).type == DataType::Int32);
}

std::optional<onnx::FunctionProto> convolution(const Node& c, const std::string& op) {
  const Value& w = c.as_it_is(3);
  const std::int64_t outputs = w.rank() == 0 ? 0 : w.shape[0];
  if (!is_operand(c, 0) || !is_operand(c, 3, outputs) || !w.constant() || !has_scales(c, 6) || !is_bias(c, 8))
    return std::nullopt;
  Body body(c);
  std::vector<std::string> inputs{reals(body, c, 0), reals(body, c, 3)};
  if (c.has(8)) inputs.push_back(bias_of(body, c, 8, 1, 4));
  return quantised(body, c, body.add(op, inputs, attributes_without(c, "")), 6);
}

/// A product of matrices, of which the second may have a scale for each column.
std::optional<onnx::FunctionProto> product(const Node& c, const std::string& op) {
  const Value& b = c.as_it_is(3);
  const std::int64_t columns = b.rank() == 2 && b.constant() ? b.shape[1] : 1;
  if (!is_operand(c, 0) || !is_operand(c, 3, columns) || !has_scales(c, 6)) return std::nullopt;
  Body body(c);
  return quantised(body, c, body.add(op, {reals(body, c, 0), reals(body, c, 3, 1)}), 6);
}

std::optional<onnx::FunctionProto> gemm(const Node& c, const std::string& op) {
  const Value& b = c.as_it_is(3);
  const bool turned = c.integer("transB", 0) != 0;
  if (b.rank() != 2 || !b.constant() || c.real("alpha", 1.0F) != 1 || c.integer("transA", 0) != 0)
    return std::nullopt;
  const std::int64_t axis = turned ? 0 : 1;
  const std::int64_t outputs = b.shape[static_cast<std::size_t>(axis)];
  if (!is_operand(c, 0) || !is_operand(c, 3, outputs) || !is_bias(c, 6) || !c.has(7) || !has_scales(c, 7))
    return std::nullopt;
  if (c.has(6) && c.as_it_is(6).count() != outputs) return std::nullopt;
  Body body(c);
  std::vector<std::string> inputs{reals(body, c, 0), reals(body, c, 3, axis)};
  if (c.has(6)) inputs.push_back(bias_of(body, c, 6, 1, 4));
  return quantised(body, c, body.add(op, inputs, {attribute("transB", turned ? 1 : 0)}), 7);
}

std::optional<onnx::FunctionProto> of_two(const Node& c, const std::string& op) {
  if (!is_operand(c, 0) || !is_operand(c, 3) || !has_scales(c, 6)) return std::nullopt;
  Body body(c);
  return quantised(body, c, body.add(op, {reals(body, c, 0), reals(body, c, 3)}), 6);
}

/// An operator of one tensor, whose scales come before those of the result.
std::optional<onnx::FunctionProto> of_one(const Node& c, const std::string& op) {
  if (!is_operand(c, 0) || !has_scales(c, 3) || c.integer("channels_last", 0) != 0) return std::nullopt;
  Body body(c);
  return quantised(body, c, body.add(op, {reals(body, c, 0)}, attributes_without(c, "channels_last")), 3);
}

/// Scales of the result first, then a tensor, a scale and a zero point for each part.
std::optional<onnx::FunctionProto> concatenation(const Node& c, const std::string& op) {
  if (!has_scales(c, 0) || c.inputs() < 5 || c.inputs() % 3 != 2) return std::nullopt;
  Body body(c);
  std::vector<std::string> parts;
  for (int i = 2; i < c.inputs(); i += 3) {
    if (!is_operand(c, i)) return std::nullopt;
    parts.push_back(reals(body, c, i));
  }
  return quantised(body, c, body.add(op, parts, attributes_without(c, "")), 0);
}

struct Row {
  std::string_view domain, op;
  const char* on_floats;  ///< the operator between DequantizeLinear and QuantizeLinear
  std::optional<onnx::FunctionProto> (*define)(const Node&, const std::string& on_floats);
};

constexpr Row kRows[] = {
    {"", "QLinearConv", "Conv", convolution},
    {"", "QLinearMatMul", "MatMul", product},
    {"com.microsoft", "QGemm", "Gemm", gemm},
    {"com.microsoft", "QLinearAdd", "Add", of_two},
    {"com.microsoft", "QLinearAveragePool", "AveragePool", of_one},
    {"com.microsoft", "QLinearConcat", "Concat", concatenation},
    {"com.microsoft", "QLinearGlobalAveragePool", "GlobalAveragePool", of_one},
    {"com.microsoft", "QLinearMul", "Mul", of_two},
    {"com.microsoft", "QLinearSigmoid", "Sigmoid", of_one},
};

}  // namespace

std::vector<Known> operators() {
  std::vector<Known> result;
  for (const Row& row : kRows) result.push_back({row.domain, row.op, row.on_floats});
  return result;
}

std::optional<onnx::FunctionProto> definition(const Node& node) {
  if (!node.has_integer_form()) return std::nullopt;
  const std::string& domain = node.proto().domain();
  const auto* row = std::ranges::find_if(kRows, [&](const Row& r) {
    return r.op == node.op() && r.domain == (domain == "ai.onnx" ? "" : domain);
  });
  if (row == std::end(kRows)) return std::nullopt;
  const int data = row->define == concatenation ? 2 : 0;
  if (!node.has(data) || node.as_it_is(data).constant()) return std::nullopt;  // computed at once
  return row->define(node, row->on_floats);
}

}  // namespace vdla::import::qoperator
