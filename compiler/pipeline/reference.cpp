// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/reference.h"

#include "support/error.h"

namespace vdla::pipeline {

Reference::Reference(const graph::Graph& graph) : graph_(graph) {
  for (const graph::Tensor& t : graph_.tensors)
    memory_.push_back(t.constant() ? *t.data : graph::Bytes(t.bytes()));
  reset_state();
  for (const graph::Node& node : graph_.nodes) {
    HostKernel kernel = host_kernel(graph_, node);
    loop::Interpreter interpreter(kernel.func);
    nodes_.push_back({std::move(kernel), std::move(interpreter)});
  }
}

void Reference::reset_state() {
  kept_.clear();
  for (const graph::State& state : graph_.states) kept_.push_back(*state.initial);
}

void Reference::run(Runnable& node) {
  std::vector<graph::Bytes> constants;  // the interpreter takes writable memory
  std::vector<std::span<std::byte>> arguments;
  constants.reserve(node.kernel.arguments.size());
  for (const KernelArgument& a : node.kernel.arguments) {
    if (a.tensor == graph::kNone) constants.push_back(*a.data);
    arguments.push_back(a.tensor == graph::kNone ? std::span(constants.back())
                                                 : std::span(memory_[static_cast<std::size_t>(a.tensor)]));
  }
  node.interpreter.run(arguments);
}

std::vector<graph::Bytes> Reference::run(const std::vector<graph::Bytes>& inputs) { return run(inputs, {}); }

std::vector<graph::Bytes> Reference::run(const std::vector<graph::Bytes>& inputs, const Known& known,
                                         const Report& report) {
  VDLA_CHECK_USER(inputs.size() == graph_.inputs.size())
      << "network '" << graph_.name << "' has " << graph_.inputs.size() << " inputs, got " << inputs.size();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const graph::Tensor& t = graph_.tensor(graph_.inputs[i].tensor);
    VDLA_CHECK_USER(inputs[i].size() == t.bytes())
        << "input '" << t.name << "' takes " << t.bytes() << " bytes, got " << inputs[i].size();
    memory_[static_cast<std::size_t>(graph_.inputs[i].tensor)] = inputs[i];
  }
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    const graph::TensorId begin = graph_.states[i].begin;
    const auto value = known.find(begin);
    memory_[static_cast<std::size_t>(begin)] = value == known.end() ? kept_[i] : value->second;
  }
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    const graph::TensorId output = graph_.nodes[n].output;
    if (const auto value = known.find(output); value != known.end()) {
      VDLA_CHECK(value->second.size() == graph_.tensor(output).bytes())
          << "value of '" << graph_.tensor(output).name << "' has " << value->second.size() << " bytes";
      memory_[static_cast<std::size_t>(output)] = value->second;
    } else {
      run(nodes_[n]);
    }
    if (report) report(n, nodes_.size());
  }
  for (std::size_t i = 0; i < kept_.size(); ++i)
    kept_[i] = memory_[static_cast<std::size_t>(graph_.states[i].end)];
  std::vector<graph::Bytes> outputs;
  for (const graph::Port& port : graph_.outputs)
    outputs.push_back(memory_[static_cast<std::size_t>(port.tensor)]);
  return outputs;
}

std::span<const std::byte> Reference::tensor(graph::TensorId id) const {
  return memory_.at(static_cast<std::size_t>(id));
}

}  // namespace vdla::pipeline
