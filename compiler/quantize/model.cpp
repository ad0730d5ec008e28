// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/model.h"

#include <algorithm>

namespace vdla::quantize {

bool has_body(const onnx::NodeProto& node) {
  return std::ranges::any_of(node.attribute(),
                             [](const auto& a) { return a.has_g() || a.graphs_size() > 0; });
}

const std::string& label(const onnx::NodeProto& node) {
  const bool has_name = !node.name().empty() || node.output_size() == 0;
  return has_name ? node.name() : node.output(0);
}

std::string what(const onnx::NodeProto& node) { return node.op_type() + " at node '" + label(node) + "'"; }

}  // namespace vdla::quantize
