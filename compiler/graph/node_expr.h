// SPDX-License-Identifier: Apache-2.0
// The tensor expression of one node.
#pragma once

#include <vector>

#include "compiler/expr/tensor.h"
#include "compiler/graph/types.h"

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

}  // namespace vdla::graph
