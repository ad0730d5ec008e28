// SPDX-License-Identifier: Apache-2.0
// Tensors of the model that each value of a graph stands for. Importers say them of what they read, and
// complete_sources() of everything else: a value that a pass makes is the compiler's own, made of its
// operands, unless the pass says better. A tensor that a pass leaves without a reader hands its names on in
// drop_dead(); run_passes() (compiler/pipeline/rewrite) refuses a pass that loses one.
#pragma once

#include <set>
#include <string>

#include "compiler/graph/graph.h"

namespace vdla::graph {

/// Each with at most this likeness.
Sources as(Sources sources, Likeness at_most);

/// Names that are there already keep the closer likeness. Either names each tensor once.
void add_sources(Sources& to, const Sources& more);

/// Returns the recorded sources; a tensor without any stands for the model's tensor of the same name.
Sources sources_of(const Tensor& tensor);

/// A graph that a program or a person wrote is a model itself: a tensor of which nothing is said stands for
/// the model's of its name.
void name_sources(Graph& graph);

/// Says of the values of which nothing is said what follows from the node that writes them.
void complete_sources(Graph& graph);

/// Leaves out of what is said to be within a value each tensor that another value stands for: it is kept. Of
/// n values along a chain each said those of all before it.
void leave_out_kept(Graph& graph);

/// Names of the model's tensors that what the outputs need, and the inputs, say something of.
std::set<std::string> source_names(const Graph& graph);

}  // namespace vdla::graph
