// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu/whole_network.h"

#include <algorithm>
#include <utility>

namespace vdla::bench::gpu {

WholeNetwork whole_network(const graph::Graph& graph, const targets::Target& target,
                           const pipeline::gpu::GpuProfile& profile, const ChooseKnobs& choose) {
  std::vector<targets::GridLayer> layers;
  targets::MadePrograms made;
  pipeline::CompileOptions options;
  options.gpu = {.kind = std::string(target.name), .profile = profile};
  for (const auto& group : pipeline::functions_of(graph)) {
    const std::string knobs = choose(group);
    layers.push_back(targets::grid_layer(
        target, {.graph = graph, .nodes = group, .options = options, .knobs = {.text = knobs}}, &made));
  }
  // Ports first, so that they are the same buffers whatever knobs there are.
  std::vector<graph::TensorId> ports;
  for (const graph::Port& port : graph.inputs) ports.push_back(port.tensor);
  for (const graph::Port& port : graph.outputs) ports.push_back(port.tensor);
  WholeNetwork whole{targets::join_layers(graph, std::move(layers), ports), {}, {}};
  const targets::GridNetwork& network = whole.network;
  // A tensor can be several ports.
  const auto buffer_of = [&](graph::TensorId id) {
    const auto found = std::ranges::find(network.tensors, id);
    if (found != network.tensors.end()) return static_cast<std::size_t>(found - network.tensors.begin());
    return std::ranges::find(network.constants, id, &targets::GridNetwork::Constant::tensor)->buffer;
  };
  for (std::size_t i = 0; i < ports.size(); ++i)
    (i < graph.inputs.size() ? whole.inputs : whole.outputs).push_back(buffer_of(ports[i]));
  targets::share_memory(whole.network, ports);
  return whole;
}

}  // namespace vdla::bench::gpu
