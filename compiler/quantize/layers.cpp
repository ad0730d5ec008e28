// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/layers.h"

#include <algorithm>
#include <set>

#include "compiler/quantize/operators.h"

namespace vdla::quantize {
namespace {

Layer layer_at(const Network& network, int first) {
  Layer layer;
  for (int n = first;;) {
    const onnx::NodeProto& node = network.graph().node(n);
    if (n == first) {
      layer.node = label(node);
      layer.op = node.op_type();
    }
    layer.nodes.push_back(n);
    for (const std::string& operand : operands(node))
      if (network.is_activation(operand) && std::ranges::find(layer.made, operand) == layer.made.end())
        layer.reads.push_back(operand);
    layer.made.push_back(node.output(0));
    if (!joins_its_reader(network, node)) return layer;
    n = network.sole_consumer(node.output(0));
  }
}

}  // namespace

std::vector<Layer> layers_of(const Network& network) {
  std::vector<Layer> layers;
  std::set<std::string> within;
  for (int n = 0; n < network.graph().node_size(); ++n) {
    const onnx::NodeProto& node = network.graph().node(n);
    if (!is_known(network, node) || is_moving(node) || within.contains(node.output(0))) continue;
    layers.push_back(layer_at(network, n));
    within.insert(layers.back().made.begin(), layers.back().made.end());
  }
  return layers;
}

}  // namespace vdla::quantize
