// SPDX-License-Identifier: Apache-2.0
// Pass: a node whose inputs are all constant becomes a constant. The interpreter computes it, so this pass
// lives here and not beside the graph.
#pragma once

#include "compiler/graph/graph.h"

namespace vdla::pipeline {

graph::Graph fold_constants(graph::Graph graph);

}  // namespace vdla::pipeline
