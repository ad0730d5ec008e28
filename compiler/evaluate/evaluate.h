// SPDX-License-Identifier: Apache-2.0
// One node whose inputs are constants, computed by the loop IR interpreter: what constant folding is made of.
#pragma once

#include "compiler/graph/graph.h"

namespace vdla::evaluate {

/// The bytes of the node's output; every input must be a constant.
graph::SharedBytes evaluate(const graph::Graph& graph, const graph::Node& node);

}  // namespace vdla::evaluate
