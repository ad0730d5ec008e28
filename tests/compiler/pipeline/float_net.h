// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "compiler/expr/dsl.h"
#include "compiler/graph/graph.h"

namespace vdla::pipeline {

/// Networks of float operators over seeded numbers.
class Net {
 public:
  explicit Net(unsigned seed) : random_(seed) { graph.name = "net"; }

  graph::TensorId input(graph::Shape shape) {
    const graph::TensorId id =
        graph.add_tensor({"x" + std::to_string(serial_++), graph::DataType::Float32, shape, {}, {}});
    graph.add_input(id);
    return id;
  }
  graph::TensorId constant(graph::Shape shape) {
    std::vector<float> values(static_cast<std::size_t>(graph::element_count(shape)));
    std::uniform_real_distribution<float> value(-1.0f, 1.0f);
    for (float& v : values) v = value(random_);
    return graph.add_constant(name("w"), graph::DataType::Float32, shape, graph::to_bytes(values));
  }
  graph::TensorId conv(graph::TensorId x, std::int64_t channels, std::int64_t kernel, std::int64_t stride,
                       std::int64_t groups = 1, std::int64_t dilation = 1) {
    const std::int64_t in = graph.tensor(x).shape[1], pad = (dilation * (kernel - 1) + 1) / 2;
    return add(graph::Convolve{{stride, stride}, {dilation, dilation}, {pad, pad}, {pad, pad}, groups},
               {x, constant({channels, in / groups, kernel, kernel})});
  }
  graph::TensorId channel_map(graph::TensorId x) {  // bias and relu
    return map("bias relu", {x, constant({graph.tensor(x).shape[1], 1, 1})},
               [](const auto& v) { return expr::maximum(v[0] + v[1], 0.0); });
  }
  graph::TensorId sum(graph::TensorId a, graph::TensorId b) {
    return map("sum", {a, b}, [](const auto& v) { return v[0] + v[1]; });
  }
  template <class F>
  graph::TensorId map(const char* function, std::vector<graph::TensorId> inputs, const F& body) {
    graph::Map op{function, {}, nullptr};
    std::vector<expr::Value> values;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      op.arguments.push_back(expr::make_var("v" + std::to_string(i), expr::DType::F32));
      values.emplace_back(op.arguments.back());
    }
    op.body = expr::Value(body(values)).expr();
    return add(op, std::move(inputs));
  }
  graph::TensorId add(graph::Op op, std::vector<graph::TensorId> inputs) {
    return graph.add_node(name("n"), std::move(op), std::move(inputs));
  }

  graph::Graph graph;

 private:
  std::string name(const char* kind) { return kind + std::to_string(serial_++); }
  std::mt19937 random_;
  int serial_ = 0;
};

}  // namespace vdla::pipeline
