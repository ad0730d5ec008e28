// SPDX-License-Identifier: Apache-2.0
#include "kit/gpu_segments.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "compiler/graph/types.h"
#include "kit/kernel_device.h"
#include "runtime/gpu/cuda.h"
#include "runtime/gpu/emulator.h"
#include "support/error.h"

namespace vdla::kit {
namespace {

using graph::TensorId;
using pipeline::at;

/// A step of the model, on its way to another place.
struct Moving {
  pipeline::Step step;
  int index = 0;                 ///< where it was
  std::optional<GridLayer> gpu;  ///< that computes it; nothing: it stays
};

TensorId result_of(const graph::Graph& graph, const Moving& m) {
  return graph.node(std::get<pipeline::HostStep>(m.step).nodes.back()).output;
}

bool reads(const pipeline::HostStep& step, TensorId tensor) {
  return std::ranges::count(step.kernel.arguments, tensor, &pipeline::KernelArgument::tensor) != 0;
}

/// Whether a step in front of it in the run makes what it reads.
bool waits(const graph::Graph& graph, const std::vector<Moving>& run, std::size_t step) {
  return std::ranges::any_of(
      run.begin(), run.begin() + static_cast<std::ptrdiff_t>(step), [&](const Moving& other) {
        return reads(std::get<pipeline::HostStep>(run[step].step), result_of(graph, other));
      });
}

void append_run(const graph::Graph& graph, std::vector<Moving> run, std::vector<Moving>& result) {
  bool on_gpu = run.front().gpu.has_value();
  while (!run.empty()) {
    bool moved = false;
    for (std::size_t i = 0; i < run.size();) {
      if (run[i].gpu.has_value() != on_gpu || waits(graph, run, i)) {
        ++i;
        continue;
      }
      result.push_back(std::move(run[i]));
      run.erase(run.begin() + static_cast<std::ptrdiff_t>(i));
      moved = true;
    }
    VDLA_CHECK(moved || run.front().gpu.has_value() != on_gpu) << "a step that waits for a later one";
    on_gpu = !on_gpu;
  }
}

/// In runs of host steps, one kind as long as it goes, then the other.
std::vector<Moving> with_few_borders(const graph::Graph& graph, std::vector<Moving> steps) {
  std::vector<Moving> result;
  for (auto begin = steps.begin(); begin != steps.end();) {
    const auto is_host = [](const Moving& m) { return std::holds_alternative<pipeline::HostStep>(m.step); };
    if (!is_host(*begin)) {
      result.push_back(std::move(*begin++));
      continue;
    }
    const auto end = std::find_if_not(begin, steps.end(), is_host);
    append_run(graph, {std::make_move_iterator(begin), std::make_move_iterator(end)}, result);
    begin = end;
  }
  return result;
}

/// What is copied to a program and back.
struct Border {
  std::vector<TensorId> inputs, outputs;
};

std::vector<TensorId> tensors_of(const pipeline::Step& step) {
  std::vector<TensorId> tensors;
  if (const auto* device = std::get_if<pipeline::DeviceStep>(&step)) {
    for (const auto& t : device->inputs) tensors.push_back(t.tensor);
    return tensors;
  }
  for (const auto& a : std::get<pipeline::HostStep>(step).kernel.arguments)
    if (a.tensor != graph::kNone) tensors.push_back(a.tensor);
  return tensors;
}

/// What other steps, or the caller, make and read of the tensors of steps.
Border border_of(const graph::Graph& graph, const std::vector<Moving>& steps, std::size_t first,
                 std::size_t end) {
  Border border;
  std::vector<bool> inside(graph.tensors.size()), leaves(graph.tensors.size()), seen(graph.tensors.size());
  for (std::size_t i = first; i < end; ++i) inside[at(result_of(graph, steps[i]))] = true;
  for (const graph::Port& port : graph.outputs) leaves[at(port.tensor)] = true;
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (i < first || i >= end)
      for (const TensorId id : tensors_of(steps[i].step)) leaves[at(id)] = true;
  for (std::size_t i = first; i < end; ++i)
    for (const pipeline::KernelArgument& a : steps[i].gpu->kernel.arguments) {
      if (a.tensor == graph::kNone || graph.tensor(a.tensor).constant() || seen[at(a.tensor)]) continue;
      seen[at(a.tensor)] = true;
      if (!inside[at(a.tensor)]) border.inputs.push_back(a.tensor);
      if (inside[at(a.tensor)] && leaves[at(a.tensor)]) border.outputs.push_back(a.tensor);
    }
  return border;
}

class Taker {
 public:
  Taker(pipeline::CompiledModel& model, const GpuTarget& target)
      : model_(model), target_(target), make_(program_maker(target.kind)) {
    for (const std::string& name : target.on_gpu) find_node(model.graph, name);  // UserError where it is none
  }

  std::vector<GpuSteps> run() {
    std::vector<Moving> steps;
    for (std::size_t i = 0; i < model_.steps.size(); ++i) {
      Moving moving{std::move(model_.steps[i]), static_cast<int>(i), {}};
      if (const auto* host = std::get_if<pipeline::HostStep>(&moving.step)) moving.gpu = layer_of(*host);
      steps.push_back(std::move(moving));
    }
    require_placed();
    steps = with_few_borders(model_.graph, std::move(steps));
    return segments_of(std::move(steps));
  }

 private:
  pipeline::NodeReport& report(graph::NodeId node) { return model_.nodes[at(node)]; }

  /// Why the step cannot go, or nothing.
  std::optional<std::string> why_not(const pipeline::HostStep& step) const {
    for (const graph::NodeId id : step.nodes) {
      const graph::Node& node = model_.graph.node(id);
      if (target_.on_cpu.contains(node.name))
        return step.nodes.size() == 1 ? "placed there on request"
                                      : fmt::format("computed with '{}', placed there on request", node.name);
      if (model_.graph.tensor(node.output).bytes() == 0) return "it has no elements";
    }
    return std::nullopt;
  }

  std::optional<GridLayer> layer_of(const pipeline::HostStep& step) {
    std::string why;
    const pipeline::Watch watch(target_.observer, model_.graph.node(step.nodes.back()).name);
    try {
      const auto no = why_not(step);
      const GridKnobs knobs{.book = target_.book ? &*target_.book : nullptr};
      if (!no) return grid_layer(model_.graph, step.nodes, make_, target_.profile, knobs, &made_, watch);
      why = *no;
    } catch (const pipeline::BookFault&) {
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
    for (const std::string& name : target_.on_gpu) {
      const auto refused = refused_.find(name);
      VDLA_CHECK_USER(refused == refused_.end())
          << "node '" << name << "' cannot run on the GPU as --place asks: " << refused->second
          << "; leave --place " << name << "=gpu out";
    }
  }

  std::vector<GpuSteps> segments_of(std::vector<Moving> steps) {
    std::vector<GpuSteps> segments;
    for (std::size_t i = 0; i < steps.size();) {
      std::size_t end = i;
      while (end < steps.size() && steps[end].gpu) ++end;
      // Steps that follow each other go together; where that costs less on the CPU, those that are placed on
      // the GPU go apart from the others.
      const bool apart = target_.costs && end > i &&
                         cost_of(steps, i, end, border_of(model_.graph, steps, i, end)).less_on_cpu;
      for (std::size_t first = i, last = i; first < end; first = last) {
        for (++last; last < end && (!apart || is_placed(steps[last]) == is_placed(steps[first]));) ++last;
        if (auto made = segment(steps, first, last)) segments.push_back(std::move(*made));
      }
      i = std::max(end, i + 1);
    }
    std::map<int, int> places;
    for (std::size_t i = 0; i < steps.size(); ++i) places[steps[i].index] = static_cast<int>(i);
    for (pipeline::NodeReport& node : model_.nodes)
      if (node.step >= 0) node.step = places.at(node.step);
    for (std::size_t i = 0; i < steps.size(); ++i) model_.steps[i] = std::move(steps[i].step);
    return segments;
  }

  bool is_placed(const Moving& step) const {
    return std::ranges::any_of(std::get<pipeline::HostStep>(step.step).nodes, [&](graph::NodeId id) {
      return target_.on_gpu.contains(model_.graph.node(id).name);
    });
  }

  /// What steps cost on the GPU and on the CPU, in words.
  struct Cost {
    std::string words;
    bool less_on_cpu = false;
  };
  Cost cost_of(const std::vector<Moving>& steps, std::size_t first, std::size_t end,
               const Border& border) const {
    if (!target_.costs) return {};
    const auto& [gpu, cpu] = *target_.costs;
    double work = 0, moved = 0, border_bytes = 0;
    std::size_t launches = 0;
    for (std::size_t i = first; i < end; ++i) {
      launches += steps[i].gpu->program.launches.size();
      for (const graph::NodeId id : std::get<pipeline::HostStep>(steps[i].step).nodes) {
        const graph::Node& node = model_.graph.node(id);
        const std::int64_t macs = model_.nodes[at(id)].macs;
        work += static_cast<double>(macs > 0 ? macs
                                             : graph::element_count(model_.graph.tensor(node.output).shape));
        moved += static_cast<double>(bytes_of(node.output));
      }
    }
    for (const auto* list : {&border.inputs, &border.outputs})
      for (const TensorId id : *list) border_bytes += static_cast<double>(bytes_of(id));
    const double on_gpu =
        work / gpu.operations_per_second + static_cast<double>(launches) * gpu.launch_seconds;
    const double crossing = gpu.start_seconds + border_bytes / gpu.bytes_per_second;
    const double on_cpu = work / cpu.operations_per_second + moved / cpu.bytes_per_second;
    return {fmt::format(
                "{} step{} together: on the GPU {:.0f} us and {:.0f} us at the border, on the CPU {:.0f} us",
                end - first, end - first == 1 ? "" : "s", 1e6 * on_gpu, 1e6 * crossing, 1e6 * on_cpu),
            on_cpu <= on_gpu + crossing};
  }

  void note(const pipeline::HostStep& step, const GridLayer& layer, const std::string& costs) {
    const GridFunction& function = layer.function;
    const std::string& knobs = target_.book ? layer.kernel.knobs : function.knobs;
    for (const graph::NodeId id : step.nodes) {
      pipeline::NodeReport& node = report(id);
      node.place = pipeline::Place::Gpu;
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
  std::optional<GpuSteps> segment(std::vector<Moving>& steps, std::size_t first, std::size_t end) {
    Border border = border_of(model_.graph, steps, first, end);
    const Cost cost = cost_of(steps, first, end, border);
    const bool stays = cost.less_on_cpu && !is_placed(steps[first]);
    std::vector<GridLayer> layers;
    for (std::size_t i = first; i < end; ++i) {
      const auto& step = std::get<pipeline::HostStep>(steps[i].step);
      if (stays) {
        for (const graph::NodeId id : step.nodes)
          report(id).reason += "; costs less on the CPU: " + cost.words;
        continue;
      }
      note(step, *steps[i].gpu, cost.words);
      layers.push_back(std::move(*steps[i].gpu));
    }
    if (stays) return std::nullopt;
    for (const TensorId id : border.inputs) charge(steps, first, end, id);
    for (const TensorId id : border.outputs)
      for (std::size_t i = first; i < end; ++i)
        if (result_of(model_.graph, steps[i]) == id)
          report(std::get<pipeline::HostStep>(steps[i].step).nodes.back()).bytes_from_device += bytes_of(id);
    GpuSteps made{.kind = target_.kind,
                  .first_step = first,
                  .network = join_layers(model_.graph, std::move(layers), {}),
                  .inputs = std::move(border.inputs),
                  .outputs = std::move(border.outputs)};
    std::vector<TensorId> kept = made.inputs;
    kept.insert(kept.end(), made.outputs.begin(), made.outputs.end());
    // The emulator names buffers whose ends a kernel leaves: there they lie apart.
    if (made.kind != gpu::kEmulator) share_memory(made.network, kept);
    return made;
  }

  /// What is copied to the GPU counts for its first reader there.
  void charge(const std::vector<Moving>& steps, std::size_t first, std::size_t end, TensorId tensor) {
    for (std::size_t i = first; i < end; ++i) {
      const auto& step = std::get<pipeline::HostStep>(steps[i].step);
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

  pipeline::CompiledModel& model_;
  const GpuTarget& target_;
  const MakeProgram make_;
  MadePrograms made_;
  std::map<std::string, std::string> refused_;  ///< nodes, and why
};

}  // namespace

GpuTarget gpu_target(const std::string& kind, const std::string& machine) {
  const std::string standard = kind == gpu::kCuda ? "server" : "desktop";
  return {.kind = kind,
          .profile = pipeline::gpu::profile_named(machine.empty() ? standard : machine),
          .on_cpu = {},
          .on_gpu = {},
          .costs = {}};
}

void set_for_gpu(pipeline::CompileOptions& options) {
  options.block_layouts = options.use_device;
  options.in_place = false;
}

std::string target_of(const GpuTarget& target) {
  return fmt::format("{}kind={} machine={}", kGpuBook, target.kind, target.profile.name);
}

void require_book_for(const GpuTarget& target) {
  VDLA_CHECK_USER(!target.book || target.book->target == target_of(target))
      << "the knob book is for " << target.book->target << ", and this compile for " << target_of(target)
      << "; tune for that GPU, or leave the book out";
}

std::vector<GpuSteps> take_host_steps(pipeline::CompiledModel& model, const GpuTarget& target) {
  require_book_for(target);
  return Taker(model, target).run();
}

}  // namespace vdla::kit
