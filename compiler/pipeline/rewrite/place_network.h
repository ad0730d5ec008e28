// SPDX-License-Identifier: Apache-2.0
// A network rewritten for where its nodes run, and their places.
#pragma once

#include "compiler/graph/graph.h"
#include "compiler/observe/observe.h"
#include "compiler/options/options.h"
#include "compiler/pipeline/place/island_places.h"

namespace vdla::pipeline {

/// Rewrites a graph for the device and places its nodes as options.partition says. Where costs move nodes to
/// the CPU others can be left alone on the device: again, until every island that is left pays.
Placed place_network(const graph::Graph& graph, const CompileOptions& options, const Watch& watch);

}  // namespace vdla::pipeline
