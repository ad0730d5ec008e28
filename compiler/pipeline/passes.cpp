// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/passes.h"

#include "compiler/graph/drop_dead.h"
#include "compiler/graph/fold_boundary.h"
#include "compiler/graph/fold_pad.h"
#include "compiler/graph/fold_transpose.h"
#include "compiler/graph/fuse_clamp.h"
#include "compiler/graph/simplify_reshape.h"
#include "compiler/pipeline/fold_constants.h"

namespace vdla::pipeline {

namespace {

constexpr GraphPass kPasses[] = {
    {"drop-dead", graph::drop_dead},
    {"fold-constants", fold_constants},
    {"fold-transpose", graph::fold_transpose},
    {"simplify-reshape", graph::simplify_reshape},
    {"fold-boundary", graph::fold_boundary},  // chains of reshapes are single ones by now
    {"fold-pad", graph::fold_pad},
    {"fuse-clamp", graph::fuse_clamp},
};

}  // namespace

std::span<const GraphPass> graph_passes() { return kPasses; }

graph::Graph run_passes(graph::Graph graph) {
  verify(graph);
  for (const GraphPass& pass : kPasses) {
    graph = pass.run(std::move(graph));
    verify(graph);
  }
  return graph;
}

}  // namespace vdla::pipeline
