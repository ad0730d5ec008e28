// SPDX-License-Identifier: Apache-2.0
// What the quantiser knows of ONNX's operators.
#pragma once

#include "compiler/quantize/network.h"

namespace vdla::quantize {

/// Moves elements: its output has the values, and so the scale, of its input.
bool is_moving(const onnx::NodeProto& node);
/// Stands between scales; any other operator stays in float.
bool is_known(const onnx::NodeProto& node);
/// A convolution or a product with constant weights, input 1.
bool has_weights(const Network& network, const onnx::NodeProto& node);
/// The axis of output channels of its weights.
std::size_t channel_axis(const onnx::NodeProto& node);
/// The clamp of an operator is applied on its way out, and a constant summand of a dense layer is its bias:
/// there is nothing to round in between.
bool joins_its_reader(const Network& network, const onnx::NodeProto& node);

}  // namespace vdla::quantize
