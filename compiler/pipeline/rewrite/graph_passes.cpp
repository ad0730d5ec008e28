// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/rewrite/graph_passes.h"

#include <algorithm>
#include <functional>

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
graph::Graph plain(graph::Graph graph, const CompileOptions&, const KeptOff&) {
  return Run(std::move(graph));
}

graph::Graph layouts_for_vectors(graph::Graph graph, const CompileOptions& options, const KeptOff&) {
  return graph::block_layouts(std::move(graph), options.machine.lanes(4));
}

constexpr GraphPass kGraphPasses[] = {
    {Pass::DropDead, PassFor::All, plain<graph::drop_dead>},
    {Pass::FoldConstants, PassFor::All, plain<fold_constants>},
    {Pass::FoldTranspose, PassFor::All, plain<graph::fold_transpose>},
    {Pass::SimplifyReshape, PassFor::All, plain<graph::simplify_reshape>},
    {Pass::FoldBoundary, PassFor::All, plain<graph::fold_boundary>},  // chains of reshapes are one by now
    {Pass::FoldPad, PassFor::All, plain<graph::fold_pad>},
    {Pass::FuseClamp, PassFor::All, plain<graph::fuse_clamp>},
    {Pass::BlockLayouts, PassFor::Cpu, layouts_for_vectors},
    {Pass::BroadcastOperands, PassFor::Device, broadcast_operands},
    {Pass::PackOperands, PassFor::Device, pack_operands},
    {Pass::PackLanes, PassFor::Device, pack_lanes},
};

static_assert(std::ranges::is_sorted(kGraphPasses, {}, &GraphPass::target),
              "rows of a target follow each other");

}  // namespace

std::span<const GraphPass> graph_passes() { return kGraphPasses; }

std::span<const GraphPass> graph_passes(PassFor target) {
  const auto rows = std::ranges::equal_range(kGraphPasses, target, {}, &GraphPass::target);
  return {rows.begin(), rows.end()};
}

graph::Graph run_passes(std::span<const GraphPass> passes, graph::Graph graph, const CompileOptions& options,
                        const KeptOff& kept_off, const Watch& watch) {
  for (const GraphPass& pass : passes) {
    graph = pass.run(std::move(graph), options, kept_off);
    watch(pass.pass, [&] { return graph::print(graph, graph::Data::LeftOut); });
    verify(graph);
  }
  return graph;
}

graph::Graph run_passes(graph::Graph graph, const Watch& watch) {
  verify(graph);
  return run_passes(graph_passes(PassFor::All), std::move(graph), {}, {}, watch);
}

}  // namespace vdla::pipeline
