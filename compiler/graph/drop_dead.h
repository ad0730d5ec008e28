// SPDX-License-Identifier: Apache-2.0
// Pass: removes nodes whose result nobody reads.
#pragma once

#include "compiler/graph/graph.h"

namespace vdla::graph {

Graph drop_dead(Graph graph);

}  // namespace vdla::graph
