// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/host_kernel.h"

#include <cctype>

#include "compiler/graph/ops.h"
#include "compiler/lower/lower.h"
#include "compiler/schedule/schedule.h"

namespace vdla::pipeline {

namespace {

/// A name that loop IR takes.
std::string function_name(const std::string& node) {
  std::string result = "k_";
  for (char c : node) result += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return result;
}

/// The default schedule: every stage at the root, in row-major order. Reductions are stages of their own and
/// everything elementwise already stands inside of them, so there is nothing to inline. Only the elements of
/// a window become loops over kernel rows, columns and channels: without divisions.
schedule::Schedule schedule_of(const graph::Graph& graph, const graph::Node& node,
                               const graph::NodeExpr& expression) {
  schedule::Schedule s({expression.output});
  if (const auto* taps = std::get_if<graph::Im2col>(&node.op)) {
    schedule::Stage& stage = s[expression.output];
    const auto [tap, channel] = stage.split(stage.axis(3), graph.tensor(node.inputs[0]).shape[3]);
    stage.split(tap, taps->kernel.w);
  }
  return s;
}

}  // namespace

HostKernel host_kernel(const graph::Graph& graph, const graph::Node& node) {
  const graph::NodeExpr expression = express(graph, node);
  HostKernel kernel{node.name, {}, {}};
  std::vector<expr::Tensor> parameters;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (!expression.inputs[i].defined()) continue;
    parameters.push_back(expression.inputs[i]);
    kernel.arguments.push_back({node.inputs[i], nullptr});
  }
  for (const graph::Parameter& p : expression.parameters) {
    parameters.push_back(p.tensor);
    kernel.arguments.push_back({graph::kNone, p.data});
  }
  parameters.push_back(expression.output);
  kernel.arguments.push_back({node.output, nullptr});
  kernel.func = lower::lower(schedule_of(graph, node, expression), parameters, function_name(node.name));
  return kernel;
}

}  // namespace vdla::pipeline
