// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/steps/programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "compiler/pipeline/place/cost.h"
#include "compiler/pipeline/steps/order.h"
#include "compiler/targets/target.h"
#include "support/error.h"

namespace vdla::pipeline {
namespace {

using graph::TensorId;

/// Tensors that are copied to a program and back.
struct Border {
  std::vector<TensorId> inputs, outputs;
};

/// Border of steps: tensors that other steps, or the caller, make and read.
Border border_of(const graph::Graph& graph, const std::vector<Moving>& steps, std::size_t first,
                 std::size_t end) {
  Border border;
  std::vector<bool> inside(graph.tensors.size()), leaves(graph.tensors.size()), seen(graph.tensors.size());
  for (std::size_t i = first; i < end; ++i) inside[at(result_of(graph, steps[i]))] = true;
  for (const TensorId id : leaving(graph)) leaves[at(id)] = true;
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (i < first || i >= end)
      for (const TensorId id : tensors_of(steps[i].step)) leaves[at(id)] = true;
  for (std::size_t i = first; i < end; ++i)
    for (const KernelArgument& a : steps[i].gpu->kernel.arguments) {
      if (a.tensor == graph::kNone || graph.tensor(a.tensor).constant() || seen[at(a.tensor)]) continue;
      seen[at(a.tensor)] = true;
      if (!inside[at(a.tensor)]) border.inputs.push_back(a.tensor);
      if (inside[at(a.tensor)] && leaves[at(a.tensor)]) border.outputs.push_back(a.tensor);
    }
  return border;
}

/// Seconds of steps elsewhere that run before one reads what those that end there make.
double beside(const StepCosts& costs, const std::vector<Moving>& steps, std::size_t end,
              const Border& border) {
  double seconds = 0;
  for (std::size_t i = end; i < steps.size(); ++i) {
    const std::vector<TensorId> tensors = tensors_of(steps[i].step);
    if (std::ranges::any_of(border.outputs, [&](TensorId t) { return std::ranges::count(tensors, t) != 0; }))
      break;
    if (!steps[i].gpu) seconds += costs.where_it_is(steps[i]);
  }
  return seconds;
}

class Taker {
 public:
  Taker(CompiledModel& model, const CompileOptions& options)
      : model_(model),
        options_(options),
        target_(*options.gpu),
        gpu_(targets::gpu_target(target_.kind)),
        costs_(model, options, gpu_) {
    for (const std::string& name : options.on_gpu)
      find_node(model.graph, name);  // UserError where it is none
  }

  std::vector<targets::GpuSteps> run() {
    std::vector<Moving> steps;
    for (std::size_t i = 0; i < model_.steps.size(); ++i) {
      Moving moving{std::move(model_.steps[i]), static_cast<int>(i), {}};
      if (const auto* host = std::get_if<HostStep>(&moving.step)) moving.gpu = layer_of(*host);
      steps.push_back(std::move(moving));
    }
    require_placed();
    return segments_of(in_good_order(model_.graph, costs_, std::move(steps)));
  }

 private:
  NodeReport& report(graph::NodeId node) { return model_.nodes[at(node)]; }

  /// Why the step cannot go, or nothing.
  std::optional<std::string> why_not(const HostStep& step) const {
    for (const graph::NodeId id : step.nodes) {
      const graph::Node& node = model_.graph.node(id);
      if (options_.on_cpu.contains(node.name))
        return step.nodes.size() == 1 ? "placed there on request"
                                      : fmt::format("computed with '{}', placed there on request", node.name);
      if (model_.graph.tensor(node.output).bytes() == 0) return "it has no elements";
    }
    return std::nullopt;
  }

  std::optional<targets::GridLayer> layer_of(const HostStep& step) {
    std::string why;
    const Watch watch(options_.observer, model_.graph.node(step.nodes.back()).name, target_.kind);
    try {
      const auto no = why_not(step);
      const targets::Asked asked{.graph = model_.graph,
                                 .nodes = step.nodes,
                                 .options = options_,
                                 .knobs = {.book = gpu_.book(options_)},
                                 .watch = watch};
      if (!no) return targets::grid_layer(gpu_, asked, &made_);
      why = *no;
    } catch (const BookFault&) {
      throw;  // nothing of a book is left out in silence
    } catch (const UserError& error) {
      why = std::string("no kernel of the GPU: ") + error.what();
    }
    for (const graph::NodeId id : step.nodes) {
      std::string& reason = report(id).reason;
      if (reason != why) reason = model_.use_device ? fmt::format("{}; {}", reason, why) : why;
      refused_[model_.graph.node(id).name] = why;
    }
    return std::nullopt;
  }

  void require_placed() const {
    for (const std::string& name : options_.on_gpu) {
      const auto refused = refused_.find(name);
      VDLA_CHECK_USER(refused == refused_.end())
          << "node '" << name << "' cannot run on the GPU as --place asks: " << refused->second
          << "; leave --place " << name << "=gpu out";
    }
  }

  std::vector<targets::GpuSteps> segments_of(std::vector<Moving> steps) {
    std::vector<targets::GpuSteps> segments;
    for (std::size_t i = 0; i < steps.size();) {
      std::size_t end = i;
      while (end < steps.size() && steps[end].gpu) ++end;
      // Steps that follow each other go together; where that costs less on the CPU, those that are placed on
      // the GPU go apart from the others.
      const auto together =
          end > i ? cost_of(steps, i, end, border_of(model_.graph, steps, i, end)) : std::nullopt;
      const bool apart = together && !together->pays();
      for (std::size_t first = i, last = i; first < end; first = last) {
        for (++last; last < end && (!apart || is_placed(steps[last]) == is_placed(steps[first]));) ++last;
        if (auto made = segment(steps, first, last)) segments.push_back(std::move(*made));
      }
      i = std::max(end, i + 1);
    }
    std::map<int, int> places;
    for (std::size_t i = 0; i < steps.size(); ++i) places[steps[i].index] = static_cast<int>(i);
    for (NodeReport& node : model_.nodes)
      if (node.step >= 0) node.step = places.at(node.step);
    for (std::size_t i = 0; i < steps.size(); ++i) model_.steps[i] = std::move(steps[i].step);
    return segments;
  }

  bool is_placed(const Moving& step) const {
    return std::ranges::any_of(std::get<HostStep>(step.step).nodes, [&](graph::NodeId id) {
      return options_.on_gpu.contains(model_.graph.node(id).name);
    });
  }

  /// Cost of steps, where the CPU can keep them.
  std::optional<PlaceCost> cost_of(const std::vector<Moving>& steps, std::size_t first, std::size_t end,
                                   const Border& border) const {
    if (!target_.cpu_keeps) return std::nullopt;
    double border_bytes = 0;
    for (const auto* list : {&border.inputs, &border.outputs})
      for (const TensorId id : *list) border_bytes += static_cast<double>(bytes_of(id));
    const std::span<const Moving> own(steps.data() + first, end - first);
    PlaceCost cost{costs_.on_gpu(own), costs_.crossing(border_bytes), costs_.on_cpu(own)};
    cost.hidden = std::min(cost.there, beside(costs_, steps, end, border));
    return cost;
  }

  void note(const HostStep& step, const targets::GridLayer& layer, const std::string& costs) {
    const targets::GridFunction& function = layer.function;
    const std::string& knobs = target_.book ? layer.kernel.knobs : function.knobs;
    for (const graph::NodeId id : step.nodes) {
      NodeReport& node = report(id);
      node.place = Place::Gpu;
      if (!model_.use_device)
        node.reason = id == step.nodes.back()
                          ? "the target is the GPU"
                          : fmt::format("the target is the GPU, computed with '{}'", function.layer);
      if (id == step.nodes.back())
        node.reason += fmt::format("; {}by template '{}'{}{}", model_.use_device ? "on the GPU " : "",
                                   function.by, knobs.empty() ? "" : ", ", knobs);
      if (!costs.empty()) node.reason += "; " + costs;
    }
  }

  /// Nothing where the steps cost less on the CPU, and none is placed.
  std::optional<targets::GpuSteps> segment(std::vector<Moving>& steps, std::size_t first, std::size_t end) {
    Border border = border_of(model_.graph, steps, first, end);
    const auto cost = cost_of(steps, first, end, border);
    const std::string words = cost ? cost->text(end - first, "step", "GPU") : "";
    const bool stays = cost && !cost->pays() && !is_placed(steps[first]);
    std::vector<targets::GridLayer> layers;
    for (std::size_t i = first; i < end; ++i) {
      const auto& step = std::get<HostStep>(steps[i].step);
      if (stays) {
        for (const graph::NodeId id : step.nodes) report(id).reason += "; costs less on the CPU: " + words;
        continue;
      }
      note(step, *steps[i].gpu, words);
      layers.push_back(std::move(*steps[i].gpu));
    }
    if (stays) return std::nullopt;
    for (const TensorId id : border.inputs) charge(steps, first, end, id);
    for (const TensorId id : border.outputs)
      for (std::size_t i = first; i < end; ++i)
        if (result_of(model_.graph, steps[i]) == id)
          report(std::get<HostStep>(steps[i].step).nodes.back()).bytes_from_device += bytes_of(id);
    targets::GpuSteps made{.kind = target_.kind,
                           .first_step = first,
                           .network = targets::join_layers(model_.graph, std::move(layers), {}),
                           .inputs = std::move(border.inputs),
                           .outputs = std::move(border.outputs)};
    std::vector<TensorId> kept = made.inputs;
    kept.insert(kept.end(), made.outputs.begin(), made.outputs.end());
    if (gpu_.names_memory) return made;
    targets::share_memory(made.network, kept);
    for (vdla::gpu::Part& part : made.network.program.parts) part.loop_ir.clear();
    return made;
  }

  /// Charges a copy to the GPU to its first reader there.
  void charge(const std::vector<Moving>& steps, std::size_t first, std::size_t end, TensorId tensor) {
    for (std::size_t i = first; i < end; ++i) {
      const auto& step = std::get<HostStep>(steps[i].step);
      for (const graph::NodeId id : step.nodes) {
        const auto& inputs = model_.graph.node(id).inputs;
        if (std::ranges::count(inputs, tensor) == 0) continue;
        report(id).bytes_to_device += bytes_of(tensor);
        return;
      }
    }
  }

  std::int64_t bytes_of(TensorId id) const {
    return static_cast<std::int64_t>(model_.graph.tensor(id).bytes());
  }

  CompiledModel& model_;
  const CompileOptions& options_;
  const GpuOptions& target_;
  const targets::Target& gpu_;
  const StepCosts costs_;
  targets::MadePrograms made_;
  std::map<std::string, std::string> refused_;  ///< nodes, and why
};

}  // namespace

void place_programs(CompiledModel& model, const CompileOptions& options) {
  model.gpu = Taker(model, options).run();
}

}  // namespace vdla::pipeline
