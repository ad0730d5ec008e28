// SPDX-License-Identifier: Apache-2.0
// Pass: element-wise nodes that together are a function of one int8 tensor become one table of 256 entries
// (graph::Lut): x * sigmoid(x) of a network's SiLU, or floats between a Dequantize and a Quantize. The
// interpreter computes the entries, so this pass lives here and not beside the graph.
#pragma once

#include "compiler/graph/graph.h"

namespace vdla::pipeline {

/// Nodes stay where the device computes each of them.
graph::Graph fold_tables(graph::Graph graph);

}  // namespace vdla::pipeline
