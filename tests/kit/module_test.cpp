// SPDX-License-Identifier: Apache-2.0
#include "kit/module.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "runtime/session/session.h"

namespace vdla::kit {
namespace {

graph::TensorId add_weights(graph::Graph& g, const std::string& name, float first) {
  std::vector<float> values(16, 0.5f);
  values[0] = first;
  return g.add_constant(name, graph::DataType::Float32, {4, 4}, graph::to_bytes(values));
}

// The steps of an unrolled recurrence had a copy of the weights each.
TEST(KitModule, EqualConstantsAreOneTensor) {
  graph::Graph g;
  const graph::TensorId x = g.add_tensor({"x", graph::DataType::Float32, {1, 4}, {}, nullptr});
  g.add_input(x);
  const graph::TensorId a = g.add_node("a", graph::MatMul{}, {x, add_weights(g, "wa", 1)});
  const graph::TensorId b = g.add_node("b", graph::MatMul{}, {a, add_weights(g, "wb", 1)});
  const graph::TensorId c = g.add_node("c", graph::MatMul{}, {b, add_weights(g, "wc", 2)});
  g.add_output(c);

  runtime::Module module = compile_for_cpu(g);
  EXPECT_EQ(std::count_if(module.tensors.begin(), module.tensors.end(),
                          [](const runtime::Tensor& t) { return t.constant(); }),
            2);

  const std::vector<float> input{1, 2, 3, 4};
  runtime::Bytes bytes(input.size() * sizeof(float));
  std::memcpy(bytes.data(), input.data(), bytes.size());
  runtime::Session session(std::move(module), nullptr, {});
  const auto outputs = session.run_model({bytes}).outputs;
  std::vector<float> have(4);
  std::memcpy(have.data(), outputs.at(0).data(), outputs.at(0).size());
  // By way of 5.5 5 5 5 and 13 10.25 10.25 10.25.
  EXPECT_EQ(have, (std::vector<float>{41.375f, 21.875f, 21.875f, 21.875f}));
}

}  // namespace
}  // namespace vdla::kit
