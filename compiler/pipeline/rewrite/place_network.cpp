// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/rewrite/place_network.h"

#include <fmt/format.h>

#include "compiler/observe/pass_list.h"
#include "compiler/pipeline/place/partition.h"
#include "compiler/pipeline/rewrite/graph_passes.h"

namespace vdla::pipeline {
namespace {

std::string text_of(const graph::Graph& graph, const Placement& nodes) {
  std::string text;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    text += fmt::format("{}: {}: {}\n", name_of(nodes[i].place), graph.nodes[i].name, nodes[i].reason);
  return text;
}

}  // namespace

Placed place_network(const graph::Graph& graph, const CompileOptions& options, const Watch& watch) {
  KeptOff kept_off = pipeline::kept_off(options);
  IslandPlaces places(book_of(options));
  for (;;) {
    Placed placed;
    GraphChoices choices;
    placed.graph = run_passes(graph_passes(PassFor::Device), graph, options, kept_off, watch, &choices);
    placed.nodes = partition(placed.graph, options, kept_off);
    add_choices(choices, placed);
    watch(Pass::Partition, [&] { return text_of(placed.graph, placed.nodes); });
    if (options.partition == Partition::Capable || !options.use_device) return placed;
    const std::vector<Island> islands = islands_of(placed.graph, placed.nodes, options);
    watch(Pass::CompareCosts, [&] { return places.text_of(islands); });
    if (!places.move_to_cpu(islands, placed, kept_off)) return placed;
  }
}

}  // namespace vdla::pipeline
