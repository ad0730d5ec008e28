// SPDX-License-Identifier: Apache-2.0
// Small networks whose layers are joined by operators that move bytes, and what became of them.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "tests/e2e/kit.h"

namespace vdla::e2e {

/// A graph of small int8 layers with random weights.
class JoinedNetwork {
 public:
  explicit JoinedNetwork(unsigned seed) : random_(seed) { graph.name = "joined"; }

  graph::TensorId input(const graph::Shape& shape);
  graph::TensorId conv(const std::string& name, graph::TensorId x, std::int64_t channels,
                       std::int64_t kernel = 1);
  graph::TensorId add(const std::string& name, graph::TensorId a, graph::TensorId b);
  graph::TensorId concat(const std::string& name, std::vector<graph::TensorId> inputs, int axis = 3);

  /// Runs random inputs and expects the interpreter's bytes of every engine.
  void expect_same(const std::string& variant = "tiny") { expect_same(compile(graph, variant)); }
  void expect_same(const runtime::Module& module);

  graph::Graph graph;

 private:
  std::mt19937 random_;
};

/// Instructions of a layer in the module's programs.
std::size_t instructions_of(const runtime::Module& module, const std::string& layer);

const runtime::NodeInfo& report_of(const runtime::Module& module, const std::string& name);

}  // namespace vdla::e2e
