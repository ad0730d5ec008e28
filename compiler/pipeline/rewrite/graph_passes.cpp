// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/rewrite/graph_passes.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>

#include "compiler/graph/shape.h"
#include "compiler/graph/sources.h"
#include "compiler/graph/text/text.h"
#include "compiler/graph/verify_quantization.h"
#include "compiler/observe/graph_pass_list.h"
#include "compiler/observe/pass_list.h"
#include "support/error.h"

#define VDLA_NONE(id, name, shows, target, run)
#define VDLA_PLAIN(id, name, shows, target, run) graph::Graph run(graph::Graph graph);
#define VDLA_WITH_OPTIONS(id, name, shows, target, run) \
  graph::Graph run(graph::Graph graph, const CompileOptions& options, const KeptOff& kept_off);
#define VDLA_WITH_CHOICES(id, name, shows, target, run)                                        \
  graph::Graph run(graph::Graph graph, const CompileOptions& options, const KeptOff& kept_off, \
                   GraphChoices& choices);

namespace vdla::graph {
#define VDLA_OF_GRAPHS(id, name, shows, target, run) Graph run(Graph graph);
VDLA_GRAPH_PASSES_BY(VDLA_OF_GRAPHS, VDLA_NONE, VDLA_NONE, VDLA_NONE)
#undef VDLA_OF_GRAPHS
}  // namespace vdla::graph

namespace vdla::pipeline {

VDLA_GRAPH_PASSES_BY(VDLA_NONE, VDLA_PLAIN, VDLA_WITH_OPTIONS, VDLA_WITH_CHOICES)
#undef VDLA_NONE
#undef VDLA_PLAIN
#undef VDLA_WITH_OPTIONS
#undef VDLA_WITH_CHOICES

namespace {

/// A pass without options.
template <graph::Graph (*Run)(graph::Graph)>
graph::Graph plain(graph::Graph graph, const CompileOptions&, const KeptOff&, GraphChoices&) {
  return Run(std::move(graph));
}

/// One without choices.
template <graph::Graph (*Run)(graph::Graph, const CompileOptions&, const KeptOff&)>
graph::Graph settled(graph::Graph graph, const CompileOptions& options, const KeptOff& kept_off,
                     GraphChoices&) {
  return Run(std::move(graph), options, kept_off);
}

constexpr GraphPass kGraphPasses[] = {
#define VDLA_OF_GRAPHS(id, name, shows, target, run) {Pass::id, PassFor::target, plain<graph::run>},
#define VDLA_PLAIN(id, name, shows, target, run) {Pass::id, PassFor::target, plain<run>},
#define VDLA_WITH_OPTIONS(id, name, shows, target, run) {Pass::id, PassFor::target, settled<run>},
#define VDLA_WITH_CHOICES(id, name, shows, target, run) {Pass::id, PassFor::target, run},
    VDLA_GRAPH_PASSES_BY(VDLA_OF_GRAPHS, VDLA_PLAIN, VDLA_WITH_OPTIONS, VDLA_WITH_CHOICES)
#undef VDLA_OF_GRAPHS
#undef VDLA_PLAIN
#undef VDLA_WITH_OPTIONS
#undef VDLA_WITH_CHOICES
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

/// A pass changes steps, and not what the values that are left stand for (graph::lost_meaning()). Every
/// compile looks: a pass that loses a scale gives a wrong answer without a message, for networks that no test
/// has. It takes 1 % of the processor time of `vdla compile` for ResNet-18 (0.45 s; the noise is 5 %), and 24
/// % of that for a network of 25,000 nodes of four elements each, where little else is done.
void require_meaning(Pass pass, graph::Meaning& meaning, const graph::Graph& graph) {
  graph::Meaning now = meaning_of(graph);
  const auto lost = lost_meaning(meaning, now);
  VDLA_CHECK(!lost) << "pass " << name_of(pass) << ": " << *lost;
  meaning = std::move(now);
}

/// Nodes that do not fit are a fault of the pass that made them: it began with a verified graph.
template <class Work>
void blaming(Pass pass, const Work& work) {
  try {
    work();
  } catch (const graph::InputsDoNotFit& e) {
    throw InternalError("pass " + std::string(name_of(pass)) +
                        " makes a node that does not fit: " + e.what());
  }
}

}  // namespace

std::span<const GraphPass> graph_passes() { return kGraphPasses; }

std::span<const GraphPass> graph_passes(PassFor target) {
  const auto rows = std::ranges::equal_range(kGraphPasses, target, {}, &GraphPass::target);
  return {rows.begin(), rows.end()};
}

graph::Graph run_passes(std::span<const GraphPass> passes, graph::Graph graph, const CompileOptions& options,
                        const KeptOff& kept_off, const Watch& watch, GraphChoices* choices) {
  GraphChoices made;
  name_sources(graph);
  graph::Meaning meaning = meaning_of(graph);
  for (const GraphPass& pass : passes) {
    const std::set<std::string> before = graph::source_names(graph);
    blaming(pass.pass, [&] { graph = pass.run(std::move(graph), options, kept_off, made); });
    complete_sources(graph);
    require_sources(pass.pass, before, graph);
    watch(pass.pass, [&] { return graph::print(graph, graph::Data::LeftOut); });
    blaming(pass.pass, [&] { verify(graph); });
    require_meaning(pass.pass, meaning, graph);
  }
  if (choices) *choices = std::move(made);
  return graph;
}

graph::Graph run_passes(graph::Graph graph, const Watch& watch) {
  verify(graph);
  return run_passes(graph_passes(PassFor::All), std::move(graph), {}, {}, watch);
}

}  // namespace vdla::pipeline
