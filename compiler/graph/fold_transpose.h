// SPDX-License-Identifier: Apache-2.0
// Pass: a transpose whose result is flattened for a dense layer of one row becomes another order of the
// layer's weights.
#pragma once

#include "compiler/graph/graph.h"

namespace vdla::graph {

Graph fold_transpose(Graph graph);

}  // namespace vdla::graph
