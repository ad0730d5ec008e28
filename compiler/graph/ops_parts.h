// SPDX-License-Identifier: Apache-2.0
// Parts that the operator families share. Private to compiler/graph.
#pragma once

#include <string>
#include <vector>

#include "compiler/expr/dsl.h"
#include "compiler/graph/graph.h"
#include "compiler/graph/node_expr.h"

namespace vdla::graph::parts {

using expr::DType;
using expr::IterVar;
using expr::Tensor;
using expr::Value;

/// The expression of one node while it is built.
class NodeBuilder {
 public:
  /// `given` as in express().
  NodeBuilder(const Graph& graph, const Node& node, const std::vector<Tensor>& given);

  const Node& node() const { return node_; }
  bool has(std::size_t i) const { return i < node_.inputs.size() && node_.inputs[i] != kNone; }
  /// Placeholder of input i.
  const Tensor& input(std::size_t i) const { return result_.inputs.at(i); }
  const Shape& shape(std::size_t i) const { return input(i).shape(); }
  const Shape& output_shape() const { return graph_.tensor(node_.output).shape; }
  DType output_type() const { return dtype_of(graph_.tensor(node_.output).type); }

  /// A constant of the expression.
  Tensor parameter(const std::string& name, const std::vector<std::int32_t>& values);
  Tensor parameter(const std::string& name, const Shape& shape, const std::vector<std::int32_t>& values);
  Tensor parameter(const std::string& name, const std::vector<std::int8_t>& values);
  Tensor parameter(const std::string& name, const Shape& shape, const std::vector<std::int8_t>& values);

  /// int32 `acc` of output channel `channel` -> int8: multiply, zero point, clamp.
  Value finish(const OutputStage& stage, const Value& acc, const Value& channel);

  NodeExpr take(Tensor output);

 private:
  const Graph& graph_;
  const Node& node_;
  NodeExpr result_;
};

/// The element as int32.
inline Value widen(const Value& v) { return cast(DType::I32, v); }
inline Value narrow(const Value& v) { return cast(DType::I8, v); }
/// An int32 number.
Value int32(std::int64_t v);

/// x * multiplier by the kernel contract, for one multiplier.
Value multiply(const Multiplier& m, const Value& x);

/// The input with a border around its last dimensions (`before` and `after` have one entry for each), as a
/// stage of its own: the loops of windows over it have no conditions. The input itself where there is none.
Tensor bordered(const Tensor& in, const Extents& before, const Extents& after, const expr::ExprPtr& value);

/// 0 <= i < extent.
Value inside(const Value& i, std::int64_t extent);

/// Element at output index `i` of an input that broadcasts to the output's shape.
Value broadcast_element(const Tensor& in, const std::vector<Value>& i);

/// Declares what each operator computes, in the file of its family.
#define VDLA_DECLARE(type, text, fusion) NodeExpr express(NodeBuilder& b, const type& op);
VDLA_GRAPH_OPS(VDLA_DECLARE)
#undef VDLA_DECLARE

}  // namespace vdla::graph::parts
