// SPDX-License-Identifier: Apache-2.0
// Pass: a requantize that only clamps (same scale and zero point) narrows the clamp of the operator in front,
// where no other node reads it.
#pragma once

#include "compiler/graph/graph.h"

namespace vdla::graph {

Graph fuse_clamp(Graph graph);

}  // namespace vdla::graph
