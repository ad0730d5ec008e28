// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/passes.h"

#include "compiler/graph/drop_dead.h"
#include "compiler/graph/fold_boundary.h"
#include "compiler/graph/fold_pad.h"
#include "compiler/graph/fold_transpose.h"
#include "compiler/graph/fuse_clamp.h"
#include "compiler/graph/print.h"
#include "compiler/graph/simplify_reshape.h"
#include "compiler/pipeline/fold_constants.h"

namespace vdla::pipeline {

namespace {

constexpr GraphPass kPasses[] = {
    {Pass::DropDead, graph::drop_dead},
    {Pass::FoldConstants, fold_constants},
    {Pass::FoldTranspose, graph::fold_transpose},
    {Pass::SimplifyReshape, graph::simplify_reshape},
    {Pass::FoldBoundary, graph::fold_boundary},  // chains of reshapes are single ones by now
    {Pass::FoldPad, graph::fold_pad},
    {Pass::FuseClamp, graph::fuse_clamp},
};

}  // namespace

std::span<const GraphPass> graph_passes() { return kPasses; }

graph::Graph run_passes(graph::Graph graph, const Watch& watch) {
  verify(graph);
  for (const GraphPass& pass : kPasses) {
    graph = pass.run(std::move(graph));
    verify(graph);
    watch(pass.pass, [&] { return graph::to_text(graph); });
  }
  return graph;
}

}  // namespace vdla::pipeline
