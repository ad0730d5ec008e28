// SPDX-License-Identifier: Apache-2.0
// Pass: float convolutions and matrix products with constant weights get layouts for a CPU's vectors:
// channels in blocks, columns in panels. Weights are packed here, once; activations stay in blocks from one
// convolution to the next, through maps, pooling, means and concatenations. What else reads one sees it as it
// was.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/graph/graph.h"

namespace vdla::graph {

/// `lanes`: F32 elements in a vector, of which panels are made. `block`: channels in a block, all of the
/// network alike; 0: channels stay as they are.
Graph block_layouts(Graph graph, std::int64_t lanes, std::int64_t block);

/// The first node that would be in blocks of `block` channels; null where there is none.
const Node* first_for_blocks(const Graph& graph, std::int64_t block);
/// Channels in a block of the network as the pass has left it; 0 where nothing is in blocks.
std::int64_t channels_in_block(const Graph& graph);

/// Weights [K][C][taps] as [K/out_block][C/in_block][taps][in_block][out_block]; what is beyond the last
/// channel is zero.
std::vector<float> pack_weights(std::span<const float> weights, std::int64_t out_channels,
                                std::int64_t in_channels, std::int64_t taps, std::int64_t in_block,
                                std::int64_t out_block);
/// Matrix [rows][columns] as [columns/width][rows][width].
std::vector<float> pack_panels(std::span<const float> matrix, std::int64_t rows, std::int64_t columns,
                               std::int64_t width);

}  // namespace vdla::graph
