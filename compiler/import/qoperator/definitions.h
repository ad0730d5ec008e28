// SPDX-License-Identifier: Apache-2.0
// Networks of ONNX Runtime's format QOperator: operators on integers that have the scales of their operands
// beside them. Each is said by DequantizeLinear, the operator on floats and QuantizeLinear, so that it
// becomes an integer layer as in a network that is written so.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "compiler/import/tensor/node.h"

namespace vdla::import::qoperator {

/// An operator of the format, and the one on floats that it computes; domain "" is ai.onnx.
struct Known {
  std::string_view domain, op, on_floats;
};
std::vector<Known> operators();

/// The node's operator by others; nothing where it is none of these, or has scales, zero points or weights
/// that are not known when the model is compiled, or a form that no integer layer has: then the node has its
/// own meaning (compiler/import/tensor, compiler/import/microsoft).
std::optional<onnx::FunctionProto> definition(const tensor::Node& node);

}  // namespace vdla::import::qoperator
