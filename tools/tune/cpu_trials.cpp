// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/cpu_trials.h"

#include <memory>
#include <variant>
#include <vector>

#include "tools/tune/cpu_trial.h"

namespace vdla::tune {
namespace {

/// Every layer is asked for its knobs, and none keeps machine code.
pipeline::CompileOptions with_knobs(pipeline::CompileOptions options, const std::string& target) {
  options.book = pipeline::KnobBook{target, {}, {}};
  options.machine_code = false;
  return options;
}

/// What the races of one network share.
struct CpuNetwork {
  pipeline::CompiledModel model;
  CpuTrial trial;
  std::vector<std::size_t> steps;  ///< by task
};

}  // namespace

LayerTrials cpu_trials(const graph::Graph& graph, const pipeline::CompileOptions& compile, unsigned threads,
                       const Stopwatch& stopwatch) {
  LayerTrials trials;
  trials.target = pipeline::target_of(compile);
  trials.engine = pipeline::kCpuEngine;
  trials.machine = {{"threads", threads}};
  const auto network = std::make_shared<CpuNetwork>();
  network->model = pipeline::compile(graph, with_knobs(compile, trials.target));
  network->trial = {&graph, &network->model, compile, threads, stopwatch};
  const auto& steps = network->model.steps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto* step = std::get_if<pipeline::HostStep>(&steps[i]);
    if (step && step->kernel.task && trials.add(*step->kernel.task)) network->steps.push_back(i);
  }
  trials.race_layer = [network](std::size_t task, const pipeline::KnobBook& book,
                                const pipeline::KnobBook& incumbent, Turns turns) {
    return race_layer(network->trial, network->steps.at(task), book, incumbent, turns);
  };
  trials.race_network = [network](const pipeline::KnobBook& book, const pipeline::KnobBook& incumbent) {
    return race_network(network->trial, book, incumbent);
  };
  return trials;
}

}  // namespace vdla::tune
