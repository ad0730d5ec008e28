// SPDX-License-Identifier: Apache-2.0
#include "tests/e2e/machine.h"

#include <random>

#include "isa/variants/variants.h"
#include "runtime/module_file.h"
#include "sim/functional/engine.h"
#include "tools/vdla/module_writer.h"

namespace vdla::testing {

Machine::Machine(const graph::Graph& graph, const std::string& variant, std::set<std::string> on_cpu,
                 bool use_device)
    : model_(pipeline::compile(graph, {isa::load_variant(variant), use_device, std::move(on_cpu), true})),
      engine_(sim::make_functional_engine(model_.variant)),
      transport_(std::make_unique<driver::SimTransport>(*engine_)) {
  // By way of the file's bytes, as a user's module travels.
  const runtime::Module module = runtime::parse(runtime::serialize(tools::to_module(model_)), "test");
  session_ = std::make_unique<runtime::Session>(module, transport_->transport(), runtime::SessionOptions{});
}

std::vector<graph::Bytes> Machine::run(const std::vector<graph::Bytes>& inputs) {
  return session_->run(inputs).outputs;
}

std::vector<graph::Bytes> random_inputs(const graph::Graph& graph, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<graph::Bytes> inputs;
  for (const graph::Port& port : graph.inputs) {
    inputs.emplace_back(graph.tensor(port.tensor).bytes());
    for (std::byte& b : inputs.back()) b = static_cast<std::byte>(random());
  }
  return inputs;
}

}  // namespace vdla::testing
