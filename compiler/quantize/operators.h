// SPDX-License-Identifier: Apache-2.0
// ONNX operators as the quantiser sees them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/quantize/network.h"

namespace vdla::quantize {

/// Operators that may get scales: those that compute, and those that move elements.
std::span<const std::string_view> computing_operators();
std::span<const std::string_view> moving_operators();

/// Moves elements: its outputs have the values, and so the scale, of its input.
bool is_moving(const onnx::NodeProto& node);
/// Has an integer form between scales (compiler/import/integer); any other operator stays in float.
bool is_known(const Network& network, const onnx::NodeProto& node);
/// Inputs of a known operator that are values, not shapes, axes, pads or limits.
std::vector<std::string> operands(const onnx::NodeProto& node);
/// A convolution or a product with constant weights, input 1.
bool has_weights(const Network& network, const onnx::NodeProto& node);
/// The axis of output channels of its weights.
std::size_t channel_axis(const onnx::NodeProto& node);
/// Nothing is rounded between a node and its reader where this is a clamp, which is applied on the way out;
/// or where a layer with weights, or a product, becomes its affine function of each channel.
bool joins_its_reader(const Network& network, const onnx::NodeProto& node);

}  // namespace vdla::quantize
