// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/ops.h"

#include <algorithm>

#include "compiler/graph/ops_parts.h"
#include "support/error.h"

namespace vdla::graph {

NodeExpr express(const Graph& graph, const Node& node, const std::vector<expr::Tensor>& given) {
  parts::NodeBuilder builder(graph, node, given);
  return std::visit([&](const auto& op) { return parts::express(builder, op); }, node.op);
}

namespace parts {

NodeBuilder::NodeBuilder(const Graph& graph, const Node& node, const std::vector<Tensor>& given)
    : graph_(graph), node_(node) {
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == kNone) {
      result_.inputs.emplace_back();
      continue;
    }
    if (i < given.size() && given[i].defined()) {
      result_.inputs.push_back(given[i]);
      continue;
    }
    const graph::Tensor& t = graph.tensor(node.inputs[i]);
    result_.inputs.push_back(expr::placeholder("in" + std::to_string(i), t.shape, dtype_of(t.type)));
  }
}

Tensor NodeBuilder::parameter(const std::string& name, const std::vector<std::int32_t>& values) {
  return parameter(name, {static_cast<std::int64_t>(values.size())}, values);
}

Tensor NodeBuilder::parameter(const std::string& name, const Shape& shape,
                              const std::vector<std::int32_t>& values) {
  result_.parameters.push_back({expr::placeholder(name, shape, DType::I32), to_bytes(values)});
  return result_.parameters.back().tensor;
}

Tensor NodeBuilder::parameter(const std::string& name, const std::vector<std::int8_t>& values) {
  return parameter(name, {static_cast<std::int64_t>(values.size())}, values);
}

Tensor NodeBuilder::parameter(const std::string& name, const Shape& shape,
                              const std::vector<std::int8_t>& values) {
  result_.parameters.push_back({expr::placeholder(name, shape, DType::I8), to_bytes(values)});
  return result_.parameters.back().tensor;
}

Value NodeBuilder::finish(const OutputStage& stage, const Value& acc, const Value& channel) {
  Value scaled = acc;
  if (stage.multiplier.size() == 1) {
    scaled = multiply(stage.multiplier[0], acc);
  } else {
    std::vector<std::int32_t> value, left, right;
    for (const Multiplier& m : stage.multiplier) {
      value.push_back(m.value);
      left.push_back(m.left());
      right.push_back(m.right());
    }
    if (std::any_of(left.begin(), left.end(), [](int n) { return n != 0; }))
      scaled = scaled << parameter("left_shift", left)(channel);
    Value factor = parameter("multiplier", value)(channel);
    // Then the product cannot saturate.
    if (std::none_of(value.begin(), value.end(), [](int m) { return m < 0; })) factor = maximum(factor, 0);
    scaled = round_shift_right(srdh_mul(scaled, factor), parameter("right_shift", right)(channel));
  }
  return narrow(clamp(scaled + stage.zero_point, int32(stage.min), int32(stage.max)));
}

NodeExpr NodeBuilder::take(Tensor output) {
  result_.output = std::move(output);
  VDLA_CHECK(result_.output.shape() == output_shape() && result_.output.dtype() == output_type())
      << "node '" << node_.name << "' is expressed as another type than its tensor";
  return std::move(result_);
}

Value int32(std::int64_t v) { return expr::number(v, DType::I32); }

Value multiply(const Multiplier& m, const Value& x) {
  Value scaled = m.left() > 0 ? x << int32(m.left()) : x;
  scaled = srdh_mul(scaled, int32(m.value));
  return m.right() > 0 ? round_shift_right(scaled, int32(m.right())) : scaled;
}

Value broadcast_element(const Tensor& in, const std::vector<Value>& i) {
  std::vector<Value> source;
  const std::size_t lead = i.size() - in.rank();
  for (std::size_t d = 0; d < in.rank(); ++d) source.push_back(in.shape()[d] == 1 ? Value(0) : i[lead + d]);
  return at(in, source);
}

Tensor bordered(const Tensor& in, const Extents& before, const Extents& after, const expr::ExprPtr& value) {
  Shape shape = in.shape();
  const std::size_t lead = shape.size() - before.size();
  bool any = false;
  for (std::size_t d = 0; d < before.size(); ++d) {
    shape[lead + d] += before[d] + after[d];
    any = any || before[d] + after[d] > 0;
  }
  if (!any) return in;
  return expr::compute("padded", shape, [&](const std::vector<Value>& i) {
    std::vector<Value> source = i;
    Value valid = expr::bool_imm(true);
    for (std::size_t d = 0; d < before.size(); ++d) {
      if (before[d] + after[d] == 0) continue;
      source[lead + d] = i[lead + d] - before[d];
      valid = valid && inside(source[lead + d], in.shape()[lead + d]);
    }
    return select(valid, at(in, source), Value(value));
  });
}

Value inside(const Value& i, std::int64_t extent) { return i >= 0 && i < extent; }

}  // namespace parts
}  // namespace vdla::graph
