// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/model.h"

namespace vdla::quantize {

const std::string& label(const onnx::NodeProto& node) {
  const bool has_name = !node.name().empty() || node.output_size() == 0;
  return has_name ? node.name() : node.output(0);
}

std::string what(const onnx::NodeProto& node) { return node.op_type() + " at node '" + label(node) + "'"; }

}  // namespace vdla::quantize
