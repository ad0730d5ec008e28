// SPDX-License-Identifier: Apache-2.0
#include "compiler/evaluate/evaluate.h"

#include "compiler/graph/ops.h"
#include "compiler/loop/interpret.h"
#include "compiler/lower/lower.h"
#include "compiler/schedule/schedule.h"

namespace vdla::evaluate {

graph::SharedBytes evaluate(const graph::Graph& graph, const graph::Node& node) {
  const graph::NodeExpr expression = graph::express(graph, node);
  std::vector<expr::Tensor> parameters;
  std::vector<graph::Bytes> memory;  // the interpreter takes writable memory
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (!expression.inputs[i].defined()) continue;
    parameters.push_back(expression.inputs[i]);
    memory.push_back(*graph.tensor(node.inputs[i]).data);
  }
  for (const graph::Parameter& p : expression.parameters) {
    parameters.push_back(p.tensor);
    memory.push_back(*p.data);
  }
  parameters.push_back(expression.output);
  memory.emplace_back(graph.tensor(node.output).bytes());
  const schedule::Schedule schedule({expression.output});
  const std::vector<std::span<std::byte>> arguments(memory.begin(), memory.end());
  loop::Interpreter(lower::lower(schedule, parameters, "constant")).run(arguments);
  return std::make_shared<const graph::Bytes>(std::move(memory.back()));
}

}  // namespace vdla::evaluate
