// SPDX-License-Identifier: Apache-2.0
#include "tests/e2e/joined_network.h"

#include <memory>
#include <utility>

#include "compiler/pipeline/reference.h"
#include "support/element_with.h"

namespace vdla::e2e {

using graph::DataType;
using graph::TensorId;

TensorId JoinedNetwork::input(const graph::Shape& shape) {
  const TensorId id =
      graph.add_tensor({"x" + std::to_string(graph.inputs.size()), DataType::Int8, shape, {}, nullptr});
  graph.add_input(id);
  return id;
}

TensorId JoinedNetwork::conv(const std::string& name, TensorId x, std::int64_t channels,
                             std::int64_t kernel) {
  const std::int64_t in = graph.tensor(x).shape[3];
  graph::Bytes weights(static_cast<std::size_t>(channels * kernel * kernel * in));
  for (std::byte& b : weights) b = static_cast<std::byte>(static_cast<int>(random_() % 31) - 15);
  graph::Conv2d op;
  op.pads = {kernel / 2, kernel / 2, kernel / 2, kernel / 2};
  op.input_zero_point = 2;
  op.out = {{{1 << 30, -6}}, 2, -128, 127};
  return graph.add_node(name, op,
                        {x, graph.add_constant(name + "/w", DataType::Int8, {channels, kernel, kernel, in},
                                               std::make_shared<graph::Bytes>(std::move(weights)))});
}

TensorId JoinedNetwork::add(const std::string& name, TensorId a, TensorId b) {
  return graph.add_node(
      name, graph::Add{20, 2, 2, {1 << 30, 0}, {1 << 30, 0}, {{{1 << 30, -18}}, 2, -128, 127}}, {a, b});
}

TensorId JoinedNetwork::concat(const std::string& name, std::vector<TensorId> inputs, int axis) {
  return graph.add_node(name, graph::Concat{axis}, std::move(inputs));
}

void JoinedNetwork::expect_same(const runtime::Module& module) {
  verify(graph);
  std::vector<Bytes> x;
  for (const graph::Port& port : graph.inputs) {
    x.emplace_back(graph.tensor(port.tensor).bytes());
    for (std::byte& b : x.back()) b = static_cast<std::byte>(random_());
  }
  const std::vector<Bytes> expected = pipeline::Reference(graph).run(x);
  for (const std::string& engine : present_engines())
    EXPECT_EQ(EngineSession(module, engine).run(x), expected) << engine;
}

std::size_t instructions_of(const runtime::Module& module, const std::string& layer) {
  std::size_t count = 0;
  for (const runtime::Step& step : module.steps) {
    const auto* device = std::get_if<runtime::DeviceStep>(&step);
    if (!device) continue;
    for (std::size_t i = 0; i < device->program.insns.size(); ++i) {
      const isa::SourceLayer* source = device->program.source_map.layer_of(i);
      count += source != nullptr && source->name == layer;
    }
  }
  return count;
}

const runtime::NodeInfo& report_of(const runtime::Module& module, const std::string& name) {
  return element_with(module.nodes, name, &runtime::NodeInfo::name);
}

}  // namespace vdla::e2e
