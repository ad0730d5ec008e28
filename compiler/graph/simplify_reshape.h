// SPDX-License-Identifier: Apache-2.0
// Pass: a reshape of a reshape reads the first one's input; a reshape to the same shape vanishes.
#pragma once

#include "compiler/graph/graph.h"

namespace vdla::graph {

Graph simplify_reshape(Graph graph);

}  // namespace vdla::graph
