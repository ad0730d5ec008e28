// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/gpu/program/network.h"

#include <algorithm>
#include <map>
#include <utility>

#include "compiler/graph/memory_plan.h"
#include "compiler/loop/print.h"
#include "compiler/observe/lower_watched.h"
#include "support/error.h"

namespace vdla::targets {
namespace {

/// Buffers of the program, each made when it is first asked for.
class Buffers {
 public:
  Buffers(const graph::Graph& graph, GridNetwork& network) : graph_(graph), network_(network) {}

  std::size_t of_tensor(graph::TensorId id) {
    const auto [found, is_new] = tensors_.try_emplace(id, network_.program.buffer_bytes.size());
    if (!is_new) return found->second;
    const graph::Tensor& tensor = graph_.tensor(id);
    add(tensor.bytes());
    if (tensor.constant())
      network_.constants.push_back({found->second, tensor.data, id, nullptr});
    else
      network_.tensors.back() = id;
    return found->second;
  }
  /// A constant that functions share has one.
  std::size_t of_data(const graph::SharedBytes& data, const expr::BufferPtr& declared) {
    const auto [found, is_new] = data_.try_emplace(data.get(), network_.program.buffer_bytes.size());
    if (!is_new) return found->second;
    add(data->size());
    network_.constants.push_back({found->second, data, graph::kNone, declared});
    return found->second;
  }
  std::size_t add(std::size_t bytes) {
    network_.program.buffer_bytes.push_back(bytes);
    network_.tensors.push_back(graph::kNone);
    return network_.program.buffer_bytes.size() - 1;
  }

 private:
  const graph::Graph& graph_;
  GridNetwork& network_;
  std::map<graph::TensorId, std::size_t> tensors_;
  std::map<const graph::Bytes*, std::size_t> data_;
};

/// The program of a function behind what there is.
void append(gpu::Program made, const pipeline::HostKernel& kernel, Buffers& buffers, GridNetwork& network) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    const pipeline::KernelArgument& a = kernel.arguments[i];
    places.push_back(a.tensor == graph::kNone ? buffers.of_data(a.data, kernel.func.params[i].buffer)
                                              : buffers.of_tensor(a.tensor));
  }
  for (std::size_t i = places.size(); i < made.buffer_bytes.size(); ++i)
    places.push_back(buffers.add(made.buffer_bytes[i]));
  std::vector<std::size_t> parts;
  for (gpu::Part& part : made.parts) {
    auto& all = network.program.parts;
    parts.push_back(static_cast<std::size_t>(std::ranges::find(all, part) - all.begin()));
    if (parts.back() == all.size()) all.push_back(std::move(part));
  }
  for (gpu::Launch& launch : made.launches) {
    launch.part = parts.at(launch.part);
    for (std::size_t& argument : launch.arguments) argument = places.at(argument);
    network.program.launches.push_back(std::move(launch));
  }
}

}  // namespace

GridLayer grid_layer(const Target& target, const Asked& asked, MadePrograms* made) {
  Answer answer = target.takes(asked);
  if (const auto* no = std::get_if<WhyNot>(&answer)) throw UserError(no->reason);
  auto& function = std::get<Function>(answer);
  GridLayer layer{.function = {.layer = asked.graph.node(asked.nodes.back()).name,
                               .by = std::move(function.by),
                               .knobs = std::move(function.knobs),
                               .task = function.kernel.task},
                  .kernel = std::move(function.kernel),
                  .program = {}};
  const loop::Func& func = layer.kernel.func;
  const auto make = [&] {
    return target.program(lower_by(target.table(asked.options.variant.geometry, {}), func, asked.watch));
  };
  if (made && !asked.watch.watches()) {
    const std::string text = loop::to_string({"", func.params, func.body});
    auto found = made->find(text);
    if (found == made->end()) found = made->emplace(text, make()).first;
    layer.program = found->second;
  } else {
    layer.program = make();
  }
  return layer;
}

GridNetwork join_layers(const graph::Graph& graph, std::vector<GridLayer> layers,
                        std::span<const graph::TensorId> first) {
  GridNetwork network;
  Buffers buffers(graph, network);
  for (const graph::TensorId id : first) buffers.of_tensor(id);
  for (GridLayer& layer : layers) {
    layer.function.first = network.program.launches.size();
    append(std::move(layer.program), layer.kernel, buffers, network);
    layer.function.last = network.program.launches.size();
    network.functions.push_back(std::move(layer.function));
  }
  return network;
}

void share_memory(GridNetwork& network, std::span<const graph::TensorId> kept) {
  gpu::Program& program = network.program;
  const auto launches = static_cast<int>(program.launches.size());
  std::vector<graph::Lifetime> lives;
  // Nothing of a buffer that no launch names: an arena ends with its last byte all the same.
  for (const std::size_t bytes : program.buffer_bytes)
    lives.push_back({static_cast<std::int64_t>(std::max<std::size_t>(bytes, 1)), launches, 0});
  for (int l = 0; l < launches; ++l)
    for (const std::size_t buffer : program.launches[static_cast<std::size_t>(l)].arguments) {
      lives[buffer].first = std::min(lives[buffer].first, l);
      lives[buffer].last = l;
    }
  const auto keep = [&](std::size_t buffer) {
    lives[buffer].first = 0;
    lives[buffer].last = launches;
  };
  for (std::size_t i = 0; i < lives.size(); ++i)
    if (lives[i].first > lives[i].last || std::ranges::count(kept, network.tensors[i]) != 0) keep(i);
  for (const GridNetwork::Constant& c : network.constants) keep(c.buffer);
  const graph::MemoryPlan plan = plan_memory(lives, static_cast<std::int64_t>(gpu::kArenaAlignment));
  program.offsets.assign(plan.offsets.begin(), plan.offsets.end());
}

}  // namespace vdla::targets
