// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/explain_grid.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "compiler/loop/print.h"
#include "compiler/pipeline/gpu/grid_kernel.h"
#include "compiler/pipeline/rewrite/graph_passes.h"
#include "kit/network.h"
#include "support/error.h"
#include "support/inert.h"
#include "tools/vdla/explain_layer.h"

namespace vdla::tools {
namespace {

using nlohmann::ordered_json;

/// The function that computes a node.
struct ExplainedKernel {
  std::string name;  ///< name of the node that was asked for
  std::vector<std::string> nodes;
  std::string by, knobs, schedule, loops, lowered, function;
  std::string source = {};  ///< source of the knobs, for people; empty: no book was asked
};

ExplainedKernel explained(const graph::Graph& graph, const std::string& name, const kit::GpuTarget& target) {
  const graph::NodeId wanted = graph::find_node(graph, name);
  for (const std::vector<graph::NodeId>& group : pipeline::grid_groups(graph)) {
    if (std::ranges::count(group, wanted) == 0) continue;
    LayerWatch watch;
    const pipeline::Observer observer = watch.observer();
    const std::string& last = graph.node(group.back()).name;
    const pipeline::Watch seen(observer, last);
    const pipeline::GridKernel grid =
        target.book ? pipeline::grid_kernel_by(graph, group, target.profile, *target.book, seen)
                    : pipeline::grid_kernel(graph, group, target.profile, seen);
    const LayerTexts texts = watch.of(last);
    ExplainedKernel result{name,
                           {},
                           std::string(grid.by.name),
                           "",
                           texts.schedules.at(0).text,
                           texts.loops.at(0).text,
                           "",
                           grid.kernel.func.name};
    for (const graph::NodeId id : group) result.nodes.push_back(graph.node(id).name);
    if (grid.by.space) result.knobs = grid.by.space->text(grid.point);
    if (target.book) result.source = grid.kernel.knobs;
    result.lowered = loop::to_string(passes::lower(targets::gpu_code(target.kind).table(), grid.kernel.func));
    return result;
  }
  throw InternalError("node '" + name + "' is in no function");
}

ordered_json json_of(const ExplainedKernel& k, bool schedule, bool loops) {
  ordered_json json{{"name", k.name}, {"nodes", k.nodes}, {"template", k.by}, {"function", k.function}};
  if (!k.knobs.empty()) json["knobs"] = k.knobs;
  if (!k.source.empty()) json["source_of_knobs"] = k.source;
  if (schedule) json["schedule"] = k.schedule;
  if (loops) json["loops"] = k.loops;
  if (loops) json["lowered"] = k.lowered;
  return json;
}

void print(const ExplainedKernel& k, const std::string& target, bool schedule, bool loops) {
  const std::string how =
      fmt::format("{}, {}: computed with {} by template '{}'{}{}", k.name, target, fmt::join(k.nodes, ", "),
                  k.by, k.knobs.empty() ? "" : ", ", k.source.empty() ? k.knobs : k.source);
  fmt::print("# {}\n", comment_text(how));
  if (schedule) fmt::print("\n# schedule of {}\n{}", k.function, k.schedule);
  if (loops)
    fmt::print("\n# loops of {}\n{}\n# lowered loops of {}\n{}", k.function, k.loops, k.function, k.lowered);
}

}  // namespace

void explain_grid(const GridLayers& layers, const CompileFlags& flags, const Context& context) {
  for (const std::string& option : flags.given())
    VDLA_CHECK_USER(option == "--target" || option == "--bind" || option == "--gpu-machine" ||
                    option == "--book")
        << option << " says nothing of how a layer is computed on the GPU (--target " << flags.target()
        << "); leave it out, or --schedule and --loops";
  const graph::Graph graph = pipeline::run_passes(kit::read_network(layers.file, flags.import_options()));
  std::vector<std::string> names = layers.schedules;
  for (const std::string& name : layers.loops)
    if (std::ranges::count(names, name) == 0) names.push_back(name);
  ordered_json out{{"model", graph.name}, {"target", flags.target()}, {"layers", ordered_json::array()}};
  const auto wants = [](const std::vector<std::string>& list, const std::string& name) {
    return std::ranges::count(list, name) != 0;
  };
  const kit::GpuTarget target = *flags.gpu();
  kit::require_book_for(target);
  std::vector<ExplainedKernel> kernels;
  for (const std::string& name : names) {
    kernels.push_back(explained(graph, name, target));
    out["layers"].push_back(
        json_of(kernels.back(), wants(layers.schedules, name), wants(layers.loops, name)));
  }
  context.report(out, [&] {
    for (const ExplainedKernel& k : kernels) {
      if (&k != &kernels.front()) fmt::print("\n");
      print(k, flags.target(), wants(layers.schedules, k.name), wants(layers.loops, k.name));
    }
  });
}

}  // namespace vdla::tools
