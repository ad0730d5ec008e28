// SPDX-License-Identifier: Apache-2.0
// The expressions of a group of nodes, each over those in front of it, and the function that a schedule makes
// of them. Templates of every target start here.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/expr/tensor.h"
#include "compiler/graph/ops.h"
#include "compiler/observe/observe.h"
#include "compiler/schedule/schedule.h"
#include "compiler/targets/cpu/kernels/kernel.h"

namespace vdla::pipeline {

class Composer {
 public:
  explicit Composer(const graph::Graph& graph) : graph_(graph) {}

  /// `channels_last`: constant weights [channels]... are packed as ...[channels].
  expr::Tensor add(const graph::Node& node, bool channels_last = false);

  /// A convolution over constant weights that lie as ...[channels], which its sums read as they lie.
  expr::Tensor add_over_packed(const graph::Node& node);

  /// A layer that takes its sums as dot products, over weights that are packed for it.
  expr::Tensor add_dots(const graph::Node& node, const graph::DotLayout& layout);

  /// A layer whose sums are of bytes as they lie in memory (graph::express_sums_of_bytes).
  expr::Tensor add_sums_of_bytes(const graph::Node& node);

  /// A product of matrices (MatMul) as tensor cores take it: the rows of a constant right operand are its
  /// columns, so that the terms of a sum lie beside each other. `rounds` as of graph::express_product.
  expr::Tensor add_product(const graph::Node& node, bool rounds);

  /// A depthwise layer as dot products of four taps each (graph::express_packed_taps).
  expr::Tensor add_packed_taps(const graph::Node& node);

  /// For templates that compute a node by expressions of their own: an input, a constant of the function, and
  /// what the node is then for those behind it.
  const expr::Tensor& input(const graph::Node& node, std::size_t number);
  expr::Tensor constant(const std::string& name, const graph::Shape& shape, graph::DataType type,
                        graph::SharedBytes data);
  void set(const graph::Node& node, expr::Tensor made) { made_[node.output] = std::move(made); }

  /// Tensors that only show others in another order.
  const std::vector<expr::Tensor>& views() const { return views_; }

  /// Lowers the function, whose result is what add() gave for the last node.
  HostKernel lower(const schedule::Schedule& schedule, const graph::Node& last, const Watch& watch);

 private:
  void add_input(graph::TensorId id);
  /// Constant weights [channels]... as a parameter ...[channels].
  expr::Tensor take_packed(const graph::Tensor& weights);
  expr::Tensor add_packed(const graph::Tensor& weights);
  /// Constant matrices [..][rows][columns] as a parameter [..][columns][rows].
  expr::Tensor take_transposed(const graph::Tensor& matrices);
  void take(const expr::Tensor& parameter, KernelArgument argument);

  const graph::Graph& graph_;
  std::map<graph::TensorId, expr::Tensor> made_;
  std::vector<expr::Tensor> parameters_, views_;
  std::vector<KernelArgument> arguments_;
};

}  // namespace vdla::pipeline
