// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/points.h"

#include <set>

#include "compiler/quantize/operators.h"

namespace vdla::quantize {

std::vector<std::string> points_of(const Network& network) {
  std::vector<std::string> points;
  std::set<std::string> seen;
  const auto add = [&](const std::string& tensor) {
    if (!tensor.empty() && seen.insert(tensor).second) points.push_back(tensor);
  };
  for (const onnx::NodeProto& node : network.graph().node()) {
    if (!is_known(network, node)) continue;
    for (const std::string& operand : operands(node)) {
      if (network.is_constant(operand)) continue;
      const int from = network.producer(operand);
      if (from < 0 || !is_known(network, network.graph().node(from)) ||
          !joins_its_reader(network, network.graph().node(from)))
        add(operand);
    }
    const bool ends_in_float = node.op_type() == "Softmax" && network.is_output(node.output(0));
    if (ends_in_float || joins_its_reader(network, node)) continue;
    for (const std::string& output : node.output())
      if (network.is_activation(output) && network.is_needed(output)) add(output);
  }
  return points;
}

std::map<std::string, Scale> scales_of(const Network& network, const std::vector<std::string>& points,
                                       const std::map<std::string, Statistics>& seen,
                                       const Options& options) {
  std::map<std::string, Scale> result;
  for (const std::string& p : points) {
    const int from = network.producer(p);
    const onnx::NodeProto* node = from < 0 ? nullptr : &network.graph().node(from);
    const bool moved = node && is_moving(*node) && is_known(network, *node);
    const auto inherited = moved ? result.find(node->input(0)) : result.end();
    result[p] = inherited != result.end() ? inherited->second : seen.at(p).scale(options);
  }
  return result;
}

}  // namespace vdla::quantize
