// SPDX-License-Identifier: Apache-2.0
// Cycles of a whole network on variant `paper`, with latency hiding and without.
#pragma once

#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "tools/explore/measure.h"

namespace vdla::bench {

/// Cycles run from the previous layer's last retire to the layer's own; "exposed" is without latency hiding.
struct Layer {
  std::string name, op;
  double ideal = 0, hidden = 0, exposed = 0;  ///< cycles

  double share() const { return ideal / hidden; }
};

struct Run {
  std::vector<Layer> layers;
  double ideal = 0, hidden = 0, exposed = 0;
};

/// The record of one run (tools/explore/record.h). `engine` is systemc or rtl. UserError where the network
/// cannot be built.
explore::Json network_record(const graph::Graph& graph, const std::string& engine,
                             bool latency_hiding = true);

Run measure_network(const graph::Graph& graph, const std::string& engine);

/// The zoo's ResNet-18 in int8. UserError where the kit was built without ONNX.
graph::Graph resnet18();

}  // namespace vdla::bench
