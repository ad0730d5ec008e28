// SPDX-License-Identifier: Apache-2.0
// Ports of the graph that are int8 inside and of the model's type outside.
#pragma once

#include <onnx/onnx_pb.h>

#include <optional>
#include <set>
#include <string>

#include "compiler/import/tensor/network.h"

namespace vdla::import::integer {

/// Inputs that a single QuantizeLinear or DequantizeLinear reads, perhaps through operators that move
/// elements: its quantisation can be the port's. Another reader needs the input in its own type.
std::set<std::string> inputs_for_one_border(const onnx::GraphProto& graph);

/// An input without a port, which its border makes.
tensor::Value unread_input(tensor::Network& network, const std::string& name, tensor::DataType type,
                           const tensor::Shape& shape);

/// Port of an output that stands in the graph as int8, or that a layer gives in float32; nothing where the
/// value is to be made in the model's type.
std::optional<graph::Port> output_port(tensor::Network& network, const tensor::Value& value);

}  // namespace vdla::import::integer
