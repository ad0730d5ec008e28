// SPDX-License-Identifier: Apache-2.0
// Nodes of the device that one layer computes together.
#pragma once

#include "compiler/graph/graph.h"
#include "compiler/knobs/book.h"
#include "compiler/pipeline/place/placement.h"
#include "isa/spec/geometry.h"

namespace vdla::pipeline {

/// A sum on the device joins the convolution that makes one of its operands (the one with more work) where no
/// other node reads that: the result of the convolution stays on chip. A book (or null) can choose otherwise.
void join_sums(const graph::Graph& graph, Placement& nodes, const isa::Geometry& geometry,
               const KnobBook* book);

/// A depthwise convolution joins the one in front of it, where no other node reads between them and time is
/// saved: both are computed piece by piece. A book (or null) can choose otherwise.
void join_depthwise(const graph::Graph& graph, Placement& nodes, const isa::Variant& variant,
                    const KnobBook* book);

}  // namespace vdla::pipeline
