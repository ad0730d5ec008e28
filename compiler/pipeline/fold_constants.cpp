// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/fold_constants.h"

#include <algorithm>

#include "compiler/loop/interpret.h"
#include "compiler/pipeline/host_kernel.h"

namespace vdla::pipeline {

namespace {

graph::SharedBytes evaluate(const graph::Graph& g, const graph::Node& node) {
  const HostKernel kernel = host_kernel(g, node);
  std::vector<graph::Bytes> memory;
  for (const KernelArgument& a : kernel.arguments)
    memory.push_back(a.data                    ? *a.data
                     : a.tensor == node.output ? graph::Bytes(g.tensor(node.output).bytes())
                                               : *g.tensor(a.tensor).data);
  const std::vector<std::span<std::byte>> arguments(memory.begin(), memory.end());
  loop::Interpreter(kernel.func).run(arguments);
  return std::make_shared<graph::Bytes>(std::move(memory.back()));
}

}  // namespace

graph::Graph fold_constants(graph::Graph graph) {
  std::vector<graph::Node> kept;
  for (graph::Node& node : graph.nodes) {
    const bool constant = std::all_of(node.inputs.begin(), node.inputs.end(), [&](graph::TensorId id) {
      return id == graph::kNone || graph.tensor(id).constant();
    });
    if (constant)
      graph.tensor(node.output).data = evaluate(graph, node);
    else
      kept.push_back(std::move(node));
  }
  graph.nodes = std::move(kept);
  return graph;
}

}  // namespace vdla::pipeline
