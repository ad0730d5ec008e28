// SPDX-License-Identifier: Apache-2.0
// Operators as tensor expressions: exactly what each node computes, in integers, as the kernel contract says.
// Every target and the interpreter run these (or, on the device, blocked forms that are tested against them).
#pragma once

#include <string>
#include <vector>

#include "compiler/expr/tensor.h"
#include "compiler/graph/graph.h"

namespace vdla::graph {

/// A constant that the expression reads beside the node's inputs: multipliers, shifts, tables.
struct Parameter {
  expr::Tensor tensor;
  SharedBytes data;
};

/// inputs[i] is the placeholder of node input i (undefined where the node has none). Outputs and placeholders
/// have the graph tensors' shapes and types.
struct NodeExpr {
  std::vector<expr::Tensor> inputs;
  std::vector<Parameter> parameters;
  expr::Tensor output;
};

NodeExpr express(const Graph& graph, const Node& node);

}  // namespace vdla::graph
