// SPDX-License-Identifier: Apache-2.0
// A graph node as a layer of the device, or the reason why it is none.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/pipeline/device/ops.h"
#include "isa/spec/geometry.h"

namespace vdla::pipeline {

/// `inputs` are the tensors that the layer reads: a dense layer behind a flattening reshape reads the image
/// itself.
struct DeviceNode {
  device::Op op;
  std::vector<graph::TensorId> inputs;
};

/// One sentence for people.
struct WhyNot {
  std::string reason;
};

/// Reshapes are not layers: see keeps_device_layout().
std::variant<DeviceNode, WhyNot> device_node(const graph::Graph& graph, const graph::Node& node,
                                             const isa::Geometry& geometry);

/// Why the device could not compute a batch matmul even with its second operand packed (pack_operands()).
std::optional<std::string> why_not_packed(const graph::Graph& graph, const graph::Node& node,
                                          const isa::Geometry& geometry);

/// Whether a tensor of either shape has the same bytes on the device, so that a reshape between them does
/// nothing there.
bool keeps_device_layout(const graph::Shape& from, const graph::Shape& to, const isa::Geometry& geometry);

/// All dimensions but the last two as height, then width and channels.
device::Image image_of(const graph::Shape& shape);
/// The same in bytes: the channels of a tensor of wider elements are the bytes of its own.
device::Image image_of(const graph::Tensor& tensor);

}  // namespace vdla::pipeline
