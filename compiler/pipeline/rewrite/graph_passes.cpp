// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/rewrite/graph_passes.h"

#include "compiler/graph/block_layouts.h"
#include "compiler/graph/drop_dead.h"
#include "compiler/graph/fold_boundary.h"
#include "compiler/graph/fold_pad.h"
#include "compiler/graph/fold_transpose.h"
#include "compiler/graph/fuse_clamp.h"
#include "compiler/graph/simplify_reshape.h"
#include "compiler/graph/text/text.h"
#include "compiler/pipeline/rewrite/broadcast.h"
#include "compiler/pipeline/rewrite/fold_constants.h"
#include "compiler/pipeline/rewrite/pack.h"
#include "compiler/pipeline/rewrite/pack_operands.h"

namespace vdla::pipeline {

namespace {

/// A pass without options.
template <graph::Graph (*Run)(graph::Graph)>
graph::Graph plain(graph::Graph graph, const CompileOptions&) {
  return Run(std::move(graph));
}

graph::Graph layouts_for_vectors(graph::Graph graph, const CompileOptions& options) {
  return graph::block_layouts(std::move(graph), options.machine.lanes(4));
}

constexpr GraphPass kSimplifying[] = {
    {Pass::DropDead, plain<graph::drop_dead>},
    {Pass::FoldConstants, plain<fold_constants>},
    {Pass::FoldTranspose, plain<graph::fold_transpose>},
    {Pass::SimplifyReshape, plain<graph::simplify_reshape>},
    {Pass::FoldBoundary, plain<graph::fold_boundary>},  // chains of reshapes are single ones by now
    {Pass::FoldPad, plain<graph::fold_pad>},
    {Pass::FuseClamp, plain<graph::fuse_clamp>},
};

constexpr GraphPass kForDevice[] = {
    {Pass::BroadcastOperands, broadcast_operands},
    {Pass::PackOperands, pack_operands},
    {Pass::PackLanes, pack_lanes},
};

constexpr GraphPass kForCpu[] = {
    {Pass::BlockLayouts, layouts_for_vectors},
};

}  // namespace

std::span<const GraphPass> simplifying_passes() { return kSimplifying; }
std::span<const GraphPass> device_passes() { return kForDevice; }
std::span<const GraphPass> cpu_passes() { return kForCpu; }

std::vector<GraphPass> graph_passes() {
  std::vector<GraphPass> all;
  for (const auto passes : {simplifying_passes(), device_passes(), cpu_passes()})
    all.insert(all.end(), passes.begin(), passes.end());
  return all;
}

graph::Graph run_passes(std::span<const GraphPass> passes, graph::Graph graph, const CompileOptions& options,
                        const Watch& watch) {
  for (const GraphPass& pass : passes) {
    graph = pass.run(std::move(graph), options);
    watch(pass.pass, [&] { return graph::print(graph, graph::Data::LeftOut); });
  }
  return graph;
}

graph::Graph run_passes(graph::Graph graph, const Watch& watch) {
  verify(graph);
  for (const GraphPass& pass : kSimplifying) {
    graph = run_passes(std::span(&pass, 1), std::move(graph), {}, watch);
    verify(graph);
  }
  return graph;
}

}  // namespace vdla::pipeline
