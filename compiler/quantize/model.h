// SPDX-License-Identifier: Apache-2.0
// Facts of a model that the parts of the quantiser share.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <onnx/onnx_pb.h>

#include "compiler/import/import.h"

namespace vdla::quantize {

/// Operator set that a quantised model has at least: the first in which DequantizeLinear has scales by
/// channel.
constexpr std::int64_t kQuantisedSet = 13;

/// Values of a model by name: type, extents, elements of constants.
using Values = std::map<std::string, import::Array>;

/// Whether a node has a graph within it, as If, Loop and Scan have.
bool has_body(const onnx::NodeProto& node);

/// The node's name, or its output's where it has none.
const std::string& label(const onnx::NodeProto& node);

/// "Conv at node 'x'"
std::string what(const onnx::NodeProto& node);

}  // namespace vdla::quantize
