// SPDX-License-Identifier: Apache-2.0
// Layouts of float layers on the CPU: channels in blocks, columns of products in panels.
#pragma once

#include "compiler/graph/graph.h"
#include "compiler/pipeline/knobs/graph_choices.h"
#include "compiler/pipeline/options.h"

namespace vdla::pipeline {

/// The graph with graph::block_layouts(): channels in blocks of a vector of the options' CPU, or of what the
/// options' knob book wants: half a vector, two, or none. All is left as it is where the options want no
/// layouts. With a book for the CPU that is a choice, of the network: layers share the blocks.
graph::Graph layouts_for_vectors(graph::Graph graph, const CompileOptions& options, const KeptOff& kept_off,
                                 GraphChoices& choices);

}  // namespace vdla::pipeline
