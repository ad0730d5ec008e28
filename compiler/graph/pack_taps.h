// SPDX-License-Identifier: Apache-2.0
// Convolutions over images whose pixels are windows of the image before: taps become channels.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "compiler/graph/graph.h"

namespace vdla::graph {

/// Taps that become channels.
enum class Packing : std::uint8_t {
  Windows,  ///< all: what is left is a 1x1 convolution
  Rows,     ///< taps of one kernel row: the rest is a KHx1 convolution; packed rows are used KH times
  Blocks,   ///< taps of stride x stride pixels (space to depth): the rest has stride 1; no pixel lies twice
};

/// Blocks of the image as the convolution `node` wants them. Nothing without a stride, with a dilation, or
/// where the last windows end more than a block before the image does.
std::optional<Im2col> blocks_of(const Graph& graph, const Node& node);

struct PackedNode {
  NodeId convolution;
  Packing packing;
};

/// Puts an im2col, named after the convolution with "/taps" behind it, in front of each of `convolutions` (of
/// one group) and makes it one over the packed image, of the same name, output and multiply-accumulates.
Graph pack_taps(Graph graph, std::span<const PackedNode> convolutions);

}  // namespace vdla::graph
