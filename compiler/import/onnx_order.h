// SPDX-License-Identifier: Apache-2.0
// The order in which nodes of an ONNX graph can be read.
#pragma once

#include <onnx/onnx_pb.h>

#include <string_view>
#include <vector>

namespace vdla::import {

/// Adds the names that a node reads, those of the graphs within it included.
void add_reads(const onnx::NodeProto& node, std::vector<std::string_view>& reads);

/// The nodes of a graph, each after those whose results it reads: as they stand, where they stand in such an
/// order. A circle stays as it stands, and is refused where it is read.
std::vector<int> order_of_nodes(const onnx::GraphProto& graph);

}  // namespace vdla::import
