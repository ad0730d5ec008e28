// SPDX-License-Identifier: Apache-2.0
// A network with layers for each template of machines with a grid, small enough to be run on every machine:
// sizes that tiles do not divide, borders, strides, zero points, integers with their channels last and floats
// with their columns last.
#pragma once

#include "compiler/graph/graph.h"

namespace vdla::pipeline::gpu {

/// Weights and multipliers are drawn.
graph::Graph layers(unsigned seed);

}  // namespace vdla::pipeline::gpu
