// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/rewrite/graph_passes.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>

#include "compiler/graph/block_layouts.h"
#include "compiler/graph/drop_dead.h"
#include "compiler/graph/fold_boundary.h"
#include "compiler/graph/fold_pad.h"
#include "compiler/graph/fold_transpose.h"
#include "compiler/graph/fuse_clamp.h"
#include "compiler/graph/simplify_reshape.h"
#include "compiler/graph/sources.h"
#include "compiler/graph/text/text.h"
#include "compiler/pipeline/observe/pass_list.h"
#include "compiler/pipeline/rewrite/broadcast.h"
#include "compiler/pipeline/rewrite/fold_constants.h"
#include "compiler/pipeline/rewrite/pack.h"
#include "compiler/pipeline/rewrite/pack_operands.h"
#include "support/error.h"

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

/// A pass that leaves a tensor of the model without a value that stands for it, or was made of it, has
/// forgotten to say what took its place (graph::Replaced).
void require_sources(Pass pass, const std::set<std::string>& before, const graph::Graph& graph) {
  const std::set<std::string> after = source_names(graph);
  for (const std::string& name : before)
    VDLA_CHECK(after.contains(name)) << "pass " << name_of(pass) << " loses tensor '" << name
                                     << "' of the model: no value says any more what became of it";
}

}  // namespace

std::span<const GraphPass> graph_passes() { return kGraphPasses; }

std::span<const GraphPass> graph_passes(PassFor target) {
  const auto rows = std::ranges::equal_range(kGraphPasses, target, {}, &GraphPass::target);
  return {rows.begin(), rows.end()};
}

graph::Graph run_passes(std::span<const GraphPass> passes, graph::Graph graph, const CompileOptions& options,
                        const KeptOff& kept_off, const Watch& watch) {
  name_sources(graph);
  for (const GraphPass& pass : passes) {
    const std::set<std::string> before = graph::source_names(graph);
    graph = pass.run(std::move(graph), options, kept_off);
    complete_sources(graph);
    require_sources(pass.pass, before, graph);
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
