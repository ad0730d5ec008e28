// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/cpu_trials.h"

#include <memory>
#include <optional>
#include <string>

#include "compiler/knobs/choice.h"
#include "tools/tune/cpu_trial.h"
#include "tools/tune/plan_tasks.h"

namespace vdla::tune {
namespace {

using pipeline::KnobBook;

/// State that the races of one network share.
struct CpuNetwork {
  CpuTrial how;  ///< but for its model
  PlanTasks plans;
  /// State of a process that measures: the network with the incumbent's plan, and that.
  std::optional<pipeline::CompiledModel> model = std::nullopt;
  std::string model_plan = {};

  Outcome race(const std::string& task, const std::string& context, const KnobBook& book,
               const KnobBook& incumbent, Turns turns) {
    const std::string plan = pipeline::choices_of(incumbent);
    if (!model || model_plan != plan) {
      model = pipeline::compile(*how.graph, without_code(how.options, incumbent));
      model_plan = plan;
    }
    CpuTrial trial = how;
    trial.model = &*model;
    if (context == pipeline::kPlanContext) return race_plan(trial, book, incumbent, turns);
    return race_layer(trial, task, context, book, incumbent, turns);
  }
};

}  // namespace

LayerTrials cpu_trials(const graph::Graph& graph, const pipeline::CompileOptions& compile, unsigned threads,
                       const Stopwatch& stopwatch) {
  LayerTrials trials;
  trials.target = pipeline::target_of(compile);
  trials.engine = pipeline::kCpuEngine;
  trials.machine = {{"threads", threads}};
  const auto network = std::make_shared<CpuNetwork>(CpuNetwork{
      .how = {&graph, nullptr, compile, threads, stopwatch}, .plans = {graph, without_code(compile, {})}});
  trials.tasks_with = [network](const KnobBook& book) -> const std::vector<Task>& {
    return network->plans.with(book);
  };
  trials.race = [network](const std::string& task, const std::string& context, const KnobBook& book,
                          const KnobBook& incumbent,
                          Turns turns) { return network->race(task, context, book, incumbent, turns); };
  trials.race_network = [network](const KnobBook& book, const KnobBook& incumbent) {
    return race_network(network->how, book, incumbent);
  };
  return trials;
}

}  // namespace vdla::tune
