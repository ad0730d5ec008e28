// SPDX-License-Identifier: Apache-2.0
// Convolutions as 1x1 convolutions over their windows: taps become channels.
#pragma once

#include <span>

#include "compiler/graph/graph.h"

namespace vdla::graph {

/// Puts an im2col, named after the convolution with "/taps" behind it, in front of each of `convolutions` (of
/// one group) and makes it a 1x1 convolution of the same name, output and multiply-accumulates.
Graph pack_taps(Graph graph, std::span<const NodeId> convolutions);

}  // namespace vdla::graph
