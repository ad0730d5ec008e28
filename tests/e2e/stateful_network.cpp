// SPDX-License-Identifier: Apache-2.0
#include "tests/e2e/stateful_network.h"

#include "tests/e2e/random_layers.h"

namespace vdla::e2e {
namespace {

graph::TensorId begin_state(graph::Graph& g, const std::string& name, const graph::Shape& shape,
                            std::mt19937& random) {
  const graph::TensorId id = g.add_tensor({name, graph::DataType::Int8, shape, {{0.1}, {3}, -1}, nullptr});
  graph::Bytes initial(g.tensor(id).bytes());
  for (std::byte& b : initial) b = std::byte(random());
  g.states.push_back({id, graph::kNone, std::make_shared<const graph::Bytes>(std::move(initial))});
  return id;
}

graph::TensorId copied(graph::Graph& g, const std::string& name, graph::TensorId id) {
  return g.add_node(name, graph::Reshape{g.tensor(id).shape}, {id}, g.tensor(id).quantization);
}

}  // namespace

graph::Graph stateful_network() {
  std::mt19937 random(11);
  graph::Graph g;
  g.name = "delays";
  const graph::Shape shape{1, 9, 7, 5};
  const graph::TensorId x = g.add_tensor({"x", graph::DataType::Int8, shape, {{0.1}, {3}, -1}, nullptr});
  g.add_input(x);
  const graph::TensorId once = begin_state(g, "once", shape, random),
                        twice = begin_state(g, "twice", shape, random),
                        first = begin_state(g, "first", shape, random);
  const auto convolution = [&](const std::string& name, graph::TensorId of) {
    return add_convolution(g, name, of, 6, 3, random);
  };
  const graph::TensorId now = convolution("now", x), before = convolution("before", once),
                        long_before = convolution("long_before", twice);
  g.add_output(g.add_node("sum", random_add(random), {now, before}));
  g.add_output(g.add_node("older", random_add(random), {long_before, convolution("start", first)}));
  g.add_output(twice);
  graph::Bytes last(g.tensor(first).bytes(), std::byte{7});
  g.states[0].end = copied(g, "once/next", x);
  g.states[1].end = copied(g, "twice/next", once);
  g.states[2].end = g.add_constant("last", graph::DataType::Int8, shape,
                                   std::make_shared<const graph::Bytes>(std::move(last)), {{0.1}, {3}, -1});
  return g;
}

}  // namespace vdla::e2e
