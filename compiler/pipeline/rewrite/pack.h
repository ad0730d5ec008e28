// SPDX-License-Identifier: Apache-2.0
// Packs taps and channels of first convolutions into the lanes of the device: an image of three channels uses
// 3 of 16 lanes, its windows use all.
#pragma once

#include "compiler/graph/graph.h"
#include "compiler/knobs/graph_choices.h"
#include "compiler/options/options.h"

namespace vdla::pipeline {

/// The graph with graph::pack_taps() for each convolution that the device computes, whose input comes from
/// the host, and whose reduction then takes fewer blocks of lanes; whole windows, rows of them or blocks of
/// pixels, whichever the estimate of cycles prefers, or what the options' knob book wants, packing nothing
/// included. Nodes kept off the device stay as they are. With a book these are `choices`.
graph::Graph pack_lanes(graph::Graph graph, const CompileOptions& options, const KeptOff& kept_off,
                        GraphChoices& choices);

}  // namespace vdla::pipeline
