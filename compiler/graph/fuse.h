// SPDX-License-Identifier: Apache-2.0
// Groups of nodes that become one function each, by their fusion classes (op.h): a chain of injective
// operators is one; elementwise operators join the convolution, matrix product or reduction whose result they
// take; an elementwise operator joins the reduction that takes its result. The tensors between fused nodes
// are never stored.
#pragma once

#include <vector>

#include "compiler/graph/graph.h"

namespace vdla::graph {

/// For each node the last one of its group, the only one whose result is stored. Nodes for which `fusible` is
/// false stay alone, and those for which `stored` is true are the last ones of their groups (empty: no node
/// needs to be). A group has at most one node that is not injective, and nothing outside of a group both
/// reads from it and is read by it.
std::vector<NodeId> fuse(const Graph& graph, const std::vector<bool>& fusible,
                         const std::vector<bool>& stored = {});

}  // namespace vdla::graph
