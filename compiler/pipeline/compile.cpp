// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/compile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/graph/text/text.h"
#include "compiler/observe/pass_list.h"
#include "compiler/pipeline/rewrite/graph_passes.h"
#include "compiler/pipeline/rewrite/place_network.h"
#include "compiler/pipeline/steps/array_rows.h"
#include "compiler/pipeline/steps/device_steps.h"
#include "compiler/pipeline/steps/host_steps.h"
#include "compiler/pipeline/steps/programs.h"
#include "compiler/pipeline/steps/schedules.h"
#include "support/error.h"

namespace vdla::pipeline {
namespace {

void require_targets(const CompileOptions& options) {
  require_fitting_books(options);
  VDLA_CHECK_USER(options.gpu || options.on_gpu.empty())
      << "node '" << *options.on_gpu.begin()
      << "' is wanted on the GPU, and no GPU is among the targets; ask for "
      << "one (CompileOptions::gpu), or leave the node out of CompileOptions::on_gpu";
}

/// The network behind the passes that come before nodes are placed.
graph::Graph prepare(const graph::Graph& graph, const CompileOptions& options, const Watch& watch,
                     GraphChoices& choices) {
  watch(Pass::Import, [&] { return graph::print(graph, graph::Data::LeftOut); });
  graph::Graph prepared =
      run_passes(graph_passes(PassFor::Cpu), run_passes(graph, watch), options, {}, watch, &choices);
  for (const std::string& name : options.on_cpu) find_node(prepared, name);  // UserError where it is none
  return prepared;
}

std::string text_of(const graph::Graph& graph, const std::vector<Group>& groups) {
  std::string text;
  for (const Group& group : groups) {
    std::vector<std::string> names;
    for (graph::NodeId n : group.nodes) names.push_back(graph.node(n).name);
    text += fmt::format("{}: {}\n", name_of(group.on_device ? Place::Device : Place::Cpu),
                        fmt::join(names, ", "));
  }
  return text;
}

/// The groups that become steps, in order.
std::vector<Group> group_network(Placed& placed, const CompileOptions& options, const Watch& watch) {
  const Fusion fusion = fuse_off_device(placed.graph, placed.nodes, options);
  add_choices(fusion.choices, placed);
  std::vector<Group> groups = group_steps(placed.graph, placed.nodes, fusion.last);
  watch(Pass::GroupSteps, [&] { return text_of(placed.graph, groups); });
  return groups;
}

/// A model without steps; takes the graph.
CompiledModel model_of(Placed& placed, const CompileOptions& asked) {
  CompiledModel model;
  model.nodes = report_places(placed.graph, placed.nodes);
  require_layers(asked.schedules, model.nodes);
  model.graph = std::move(placed.graph);
  model.variant = asked.variant;
  model.use_device = asked.use_device;
  model.moved_seconds = placed.moved_seconds;
  for (const PlacedNode& node : placed.nodes)
    model.choices.insert(model.choices.end(), node.choices.begin(), node.choices.end());
  return model;
}

void add_steps(CompiledModel& model, const Placement& nodes, const std::vector<Group>& groups,
               const CompileOptions& options) {
  HostSteps host(model, groups, options);
  for (const Group& group : groups)
    if (!group.on_device)
      host.add(group);
    else if (has_instructions(nodes, group))
      add_device_step(model, nodes, group, options);
    else
      for (const graph::NodeId n : group.nodes) host.add({false, {n}});
  require_steps(options.schedules, model.nodes);
  if (!model.host_code.empty()) model.objects = host_objects(model.host_code, options);
}

}  // namespace

CompiledModel compile(const graph::Graph& graph, const CompileOptions& asked) {
  const Watch watch(asked.observer);
  require_targets(asked);
  GraphChoices on_cpu;
  const graph::Graph prepared = prepare(graph, asked, watch, on_cpu);
  const ArrayRows rows(prepared, asked);
  const CompileOptions options = rows.options(asked);
  Placed placed = place_network(prepared, options, watch);
  rows.add_note(placed);
  add_choices(on_cpu, placed);
  const std::vector<Group> groups = group_network(placed, options, watch);
  CompiledModel model = model_of(placed, asked);
  add_steps(model, placed.nodes, groups, options);
  if (options.gpu) place_programs(model, options);
  return model;
}

FusedNetwork fuse_network(const graph::Graph& graph) {
  graph::Graph prepared = run_passes(graph);
  std::vector<std::vector<graph::NodeId>> functions = functions_of(prepared);
  return {std::move(prepared), std::move(functions)};
}

}  // namespace vdla::pipeline
