// SPDX-License-Identifier: Apache-2.0
// What the operator families share. Private to compiler/graph.
#pragma once

#include <string>
#include <vector>

#include "compiler/expr/dsl.h"
#include "compiler/graph/ops.h"

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

NodeExpr express(NodeBuilder& b, const Conv2d& op);
NodeExpr express(NodeBuilder& b, const DepthwiseConv2d& op);
NodeExpr express(NodeBuilder& b, const FullyConnected& op);
NodeExpr express(NodeBuilder& b, const BatchMatMul& op);
NodeExpr express(NodeBuilder& b, const PackMatrices& op);
NodeExpr express(NodeBuilder& b, const PackScales& op);
NodeExpr express(NodeBuilder& b, const PackedMatMul& op);
NodeExpr express(NodeBuilder& b, const Add& op);
NodeExpr express(NodeBuilder& b, const Mul& op);
NodeExpr express(NodeBuilder& b, const Maximum& op);
NodeExpr express(NodeBuilder& b, const Minimum& op);
NodeExpr express(NodeBuilder& b, const MaxPool2d& op);
NodeExpr express(NodeBuilder& b, const AvgPool2d& op);
NodeExpr express(NodeBuilder& b, const SumPool2d& op);
NodeExpr express(NodeBuilder& b, const Mean& op);
NodeExpr express(NodeBuilder& b, const Softmax& op);
NodeExpr express(NodeBuilder& b, const SoftmaxFloat& op);
NodeExpr express(NodeBuilder& b, const ArgMax& op);
NodeExpr express(NodeBuilder& b, const Requantize& op);
NodeExpr express(NodeBuilder& b, const Quantize& op);
NodeExpr express(NodeBuilder& b, const Dequantize& op);
NodeExpr express(NodeBuilder& b, const Lut& op);
NodeExpr express(NodeBuilder& b, const Reshape& op);
NodeExpr express(NodeBuilder& b, const Transpose& op);
NodeExpr express(NodeBuilder& b, const Pad& op);
NodeExpr express(NodeBuilder& b, const Concat& op);
NodeExpr express(NodeBuilder& b, const Im2col& op);
NodeExpr express(NodeBuilder& b, const Map& op);
NodeExpr express(NodeBuilder& b, const Fold& op);
NodeExpr express(NodeBuilder& b, const View& op);
NodeExpr express(NodeBuilder& b, const Convolve& op);
NodeExpr express(NodeBuilder& b, const Window& op);
NodeExpr express(NodeBuilder& b, const MatMul& op);
NodeExpr express(NodeBuilder& b, const Gather& op);
NodeExpr express(NodeBuilder& b, const GatherElements& op);
NodeExpr express(NodeBuilder& b, const GatherNd& op);
NodeExpr express(NodeBuilder& b, const ScatterElements& op);
NodeExpr express(NodeBuilder& b, const ScatterNd& op);
NodeExpr express(NodeBuilder& b, const Locate& op);
NodeExpr express(NodeBuilder& b, const Cumulate& op);
NodeExpr express(NodeBuilder& b, const Sort& op);
NodeExpr express(NodeBuilder& b, const BlockChannels& op);
NodeExpr express(NodeBuilder& b, const UnblockChannels& op);
NodeExpr express(NodeBuilder& b, const ConvolveBlocks& op);
NodeExpr express(NodeBuilder& b, const MatMulPanels& op);

}  // namespace vdla::graph::parts
