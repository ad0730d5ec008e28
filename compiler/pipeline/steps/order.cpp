// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/steps/order.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "support/error.h"

namespace vdla::pipeline {

using graph::TensorId;

TensorId result_of(const graph::Graph& graph, const Moving& m) {
  return graph.node(std::get<HostStep>(m.step).nodes.back()).output;
}

std::vector<TensorId> tensors_of(const Step& step) {
  std::vector<TensorId> tensors;
  if (const auto* device = std::get_if<DeviceStep>(&step)) {
    for (const auto& t : device->inputs) tensors.push_back(t.tensor);
    return tensors;
  }
  for (const auto& a : std::get<HostStep>(step).kernel.arguments)
    if (a.tensor != graph::kNone) tensors.push_back(a.tensor);
  return tensors;
}

namespace {

bool is_host(const Moving& m) { return std::holds_alternative<HostStep>(m.step); }
bool is_on_gpu(const Moving& m) { return m.gpu.has_value(); }

/// Whether a step of the host reads the tensor, wherever it is computed.
bool reads(const Moving& m, TensorId tensor) {
  const auto among = [&](const HostKernel& kernel) {
    return std::ranges::count(kernel.arguments, tensor, &KernelArgument::tensor) != 0;
  };
  return among(std::get<HostStep>(m.step).kernel) || (m.gpu && among(m.gpu->kernel));
}

/// Whether a step of the host reads what `other` makes.
bool needs(const graph::Graph& graph, const Moving& m, const Moving& other) {
  if (const auto* device = std::get_if<DeviceStep>(&other.step))
    return std::ranges::any_of(device->outputs, [&](const auto& t) { return reads(m, t.tensor); });
  return reads(m, result_of(graph, other));
}

/// Whether a step in front of it in the run makes what it reads.
bool waits(const graph::Graph& graph, const std::vector<Moving>& run, std::size_t step) {
  return std::any_of(run.begin(), run.begin() + static_cast<std::ptrdiff_t>(step),
                     [&](const Moving& other) { return needs(graph, run[step], other); });
}

void append_run(const graph::Graph& graph, std::vector<Moving> run, std::vector<Moving>& result) {
  bool on_gpu = is_on_gpu(run.front());
  while (!run.empty()) {
    bool moved = false;
    for (std::size_t i = 0; i < run.size();) {
      if (is_on_gpu(run[i]) != on_gpu || waits(graph, run, i)) {
        ++i;
        continue;
      }
      result.push_back(std::move(run[i]));
      run.erase(run.begin() + static_cast<std::ptrdiff_t>(i));
      moved = true;
    }
    VDLA_CHECK(moved || is_on_gpu(run.front()) != on_gpu) << "a step that waits for a later one";
    on_gpu = !on_gpu;
  }
}

/// Orders steps in runs of host steps, one kind as long as it goes, then the other.
std::vector<Moving> with_few_borders(const graph::Graph& graph, std::vector<Moving> steps) {
  std::vector<Moving> result;
  for (auto begin = steps.begin(); begin != steps.end();) {
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

using Steps = std::vector<Moving>::iterator;

/// Puts steps of a run that do without `step`, of which others need something, to the front: where these end.
Steps without_first(const graph::Graph& graph, Steps first, Steps end, const Moving& step) {
  std::vector<TensorId> late;  // results of those that need it
  const auto is_late = [&](const Moving& m) {
    const bool found =
        needs(graph, m, step) || std::ranges::any_of(late, [&](TensorId t) { return reads(m, t); });
    if (found) late.push_back(result_of(graph, m));
    return found;
  };
  std::vector<Moving> early, others;
  for (auto m = first; m != end; ++m) (is_late(*m) ? others : early).push_back(std::move(*m));
  const auto middle = std::ranges::move(early, first).out;
  std::ranges::move(others, middle);
  return middle;
}

/// Whether the first steps of a run had better be a program of their own, which then runs beside `step`.
bool pays(const graph::Graph& graph, const StepCosts& costs, Steps first, Steps middle, Steps end,
          const Moving& step) {
  if (first == middle || middle == end) return false;
  double bytes = 0;  // bytes that then cross the border twice
  for (auto m = first; m != middle; ++m)
    if (std::any_of(middle, end, [&](const Moving& other) { return needs(graph, other, *m); }))
      bytes += 2.0 * static_cast<double>(graph.tensor(result_of(graph, *m)).bytes());
  return std::min(costs.on_gpu({first, middle}), costs.where_it_is(step)) > costs.crossing(bytes);
}

void start_early(const graph::Graph& graph, const StepCosts& costs, std::vector<Moving>& steps) {
  for (auto first = steps.begin(); first != steps.end();) {
    first = std::find_if(first, steps.end(), is_on_gpu);
    const auto behind = std::find_if_not(first, steps.end(), is_on_gpu);
    auto end = behind;
    while (first != steps.begin() && !is_on_gpu(*(first - 1))) {
      const auto middle = without_first(graph, first, end, *(first - 1));
      if (middle != end && !pays(graph, costs, first, middle, end, *(first - 1))) break;
      // The step goes between both parts.
      std::rotate(first - 1, first, middle);
      --first;
      end = middle - 1;
    }
    first = behind;
  }
}

}  // namespace

StepCosts::StepCosts(const CompiledModel& model, const CompileOptions& options, const targets::Target& gpu)
    : model_(model), options_(options), gpu_(gpu), device_(model.steps.size()) {
  for (const NodeReport& node : model.nodes)
    if (node.step >= 0) device_.at(at(node.step)) += node.estimated_cycles;
  for (double& seconds : device_) seconds /= 1e6 * model.variant.timing.clock_mhz;
}

double StepCosts::on_gpu(std::span<const Moving> steps) const {
  double seconds = 0;
  for (const Moving& m : steps)
    seconds += gpu_.seconds({.graph = model_.graph,
                             .nodes = std::get<HostStep>(m.step).nodes,
                             .options = options_,
                             .launches = m.gpu->program.launches.size()});
  return seconds;
}

double StepCosts::on_cpu(std::span<const Moving> steps) const {
  double seconds = 0;
  for (const Moving& m : steps)
    for (const graph::NodeId id : std::get<HostStep>(m.step).nodes)
      seconds += targets::cpu().seconds({model_.graph, {&id, 1}, options_});
  return seconds;
}

double StepCosts::where_it_is(const Moving& step) const {
  return is_host(step) ? on_cpu({&step, 1}) : device_.at(at(step.index));
}

double StepCosts::crossing(double bytes) const { return gpu_.border(options_, bytes); }

std::vector<Moving> in_good_order(const graph::Graph& graph, const StepCosts& costs,
                                  std::vector<Moving> steps) {
  steps = with_few_borders(graph, std::move(steps));
  start_early(graph, costs, steps);
  return steps;
}

}  // namespace vdla::pipeline
