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

/// Where given[i] is defined, the node reads that tensor in the place of a placeholder, and inputs[i] is it.
NodeExpr express(const Graph& graph, const Node& node, const std::vector<expr::Tensor>& given = {});

/// What a ConvolveBlocks computes: its sums, which read the data with its border as a stage of its own.
expr::Tensor convolve_blocks(const ConvolveBlocks& op, const expr::Tensor& data, const expr::Tensor& weights);

}  // namespace vdla::graph
