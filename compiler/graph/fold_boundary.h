// SPDX-License-Identifier: Apache-2.0
// Pass: what happens to a graph input or output and nothing else goes into its port: a reshape, a quantize of
// an input, a dequantize of an output. The host then converts while it copies anyway.
#pragma once

#include "compiler/graph/graph.h"

namespace vdla::graph {

Graph fold_boundary(Graph graph);

}  // namespace vdla::graph
