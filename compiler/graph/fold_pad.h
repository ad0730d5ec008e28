// SPDX-License-Identifier: Apache-2.0
// Pass: a pad in front of a convolution, with the convolution's input zero point as its value and height and
// width only, becomes padding of the convolution.
#pragma once

#include "compiler/graph/graph.h"

namespace vdla::graph {

Graph fold_pad(Graph graph);

}  // namespace vdla::graph
