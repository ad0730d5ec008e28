// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/cpu/kernels/in_place.h"

#include <utility>

#include "compiler/expr/dsl.h"
#include "compiler/loop/replace_buffers.h"
#include "support/error.h"

namespace vdla::pipeline {
namespace {

using expr::BufferPtr;
using expr::ExprPtr;
using graph::NodeId;
using graph::TensorId;

constexpr std::size_t kMostInputs = 8;

class Joiner {
 public:
  Joiner(const graph::Graph& graph, const std::vector<std::vector<NodeId>>& functions)
      : graph_(graph), readers_(graph.tensors.size()), maker_(graph.tensors.size(), graph::kNone) {
    for (const graph::Node& node : graph.nodes)
      for (const TensorId id : node.inputs)
        if (id != graph::kNone) ++readers_[at(id)];
    for (const TensorId id : leaving(graph)) ++readers_[at(id)];
    for (const std::vector<NodeId>& function : functions) {
      const graph::Node& last = graph.node(function.back());
      // A concatenation might lie in another one.
      if (!std::holds_alternative<graph::Concat>(last.op)) maker_[at(last.output)] = function.back();
    }
  }

  void join(NodeId id, HostSlices& slices) const {
    const graph::Node& node = graph_.node(id);
    const auto* op = std::get_if<graph::Concat>(&node.op);
    if (!op || node.inputs.size() > kMostInputs) return;
    std::vector<NodeId> makers;
    for (const TensorId input : node.inputs) {
      if (maker_[at(input)] == graph::kNone || readers_[at(input)] != 1) return;
      makers.push_back(maker_[at(input)]);
    }
    const auto rank = static_cast<int>(graph_.tensor(node.output).shape.size());
    HostSlice slice{node.output, static_cast<std::size_t>(op->axis < 0 ? op->axis + rank : op->axis), 0};
    for (const TensorId input : node.inputs) {
      slices.by_tensor[input] = slice;
      slice.first += graph_.tensor(input).shape[slice.axis];
    }
    slices.joined[id] = std::move(makers);
  }

 private:
  static std::size_t at(std::int32_t id) { return static_cast<std::size_t>(id); }

  const graph::Graph& graph_;
  std::vector<int> readers_;   ///< readers of each tensor; an output of the graph is read
  std::vector<NodeId> maker_;  ///< last node of each tensor that a function stores; kNone for others
};

}  // namespace

HostSlices host_slices(const graph::Graph& graph, const std::vector<std::vector<NodeId>>& functions) {
  const Joiner joiner(graph, functions);
  HostSlices slices;
  for (const std::vector<NodeId>& function : functions)
    if (function.size() == 1) joiner.join(function[0], slices);
  return slices;
}

HostKernel stored_in(HostKernel kernel, const graph::Graph& graph, const HostSlice& slice) {
  loop::Param& result = kernel.func.params.back();
  VDLA_CHECK(result.direction == loop::Direction::Out) << kernel.func.name;
  const expr::Buffer& own = *result.buffer;
  const BufferPtr whole = expr::make_buffer(own.name, own.dtype, graph.tensor(slice.whole).shape, own.scope);
  const auto moved = [&](std::vector<ExprPtr> indices) {
    ExprPtr& index = indices.at(slice.axis);
    if (slice.first > 0) index = (expr::Value(index) + expr::Value(slice.first)).expr();
    return indices;
  };
  kernel.func.body = loop::replace_buffers(kernel.func.body, {{&own, {whole, moved}}});
  result = {whole, loop::Direction::InOut};  // it leaves as it was what it does not store
  kernel.arguments.back().tensor = slice.whole;
  return kernel;
}

}  // namespace vdla::pipeline
