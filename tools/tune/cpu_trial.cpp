// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/cpu_trial.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/graph/text/text.h"
#include "kit/module.h"
#include "runtime/session/session.h"
#include "runtime/session/thread_pool.h"
#include "support/error.h"
#include "tools/explore/hash.h"
#include "tools/tune/cpu_code.h"

namespace vdla::tune {
namespace {

using pipeline::KnobBook;

/// All threads of the pool, or none but the caller.
class Threads {
 public:
  explicit Threads(unsigned threads) {
    if (threads != 1) pool_ = std::make_unique<runtime::ThreadPool>(threads);
  }
  ParallelHook hook() const { return pool_ ? pool_->hook() : ParallelHook{}; }

 private:
  std::unique_ptr<runtime::ThreadPool> pool_;
};

runtime::Module module_with(const CpuTrial& trial, const KnobBook& book) {
  pipeline::CompileOptions options = trial.options;
  options.book = book;
  return kit::compile_for_cpu(*trial.graph, options);
}

graph::DataType type_of(const runtime::Module& module, const runtime::Port& port) {
  return module.tensors[port.tensor].type == runtime::DataType::Float32 ? graph::DataType::Float32
                                                                        : graph::DataType::Int8;
}

std::vector<runtime::Bytes> inputs_of(const runtime::Module& module) {
  std::vector<runtime::Bytes> inputs;
  for (const runtime::Port& port : module.inputs) {
    inputs.emplace_back(module.tensors[port.tensor].bytes());
    fill(inputs.back(), type_of(module, port), port.tensor + 1);
  }
  return inputs;
}

bool compute_the_same(runtime::Session& a, runtime::Session& b, const std::vector<runtime::Bytes>& inputs) {
  const std::vector<runtime::Bytes> x = a.run(inputs).outputs, y = b.run(inputs).outputs;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!are_alike(x[i], y[i], type_of(a.module(), a.module().outputs[i]))) return false;
  return true;
}

/// Knobs of a step's layer in a book.
std::string knobs_of(const pipeline::HostStep& step, const KnobBook& book) {
  const auto& task = step.kernel.task;
  const pipeline::KnobRecord* record = task ? book.find(task->task, task->context) : nullptr;
  return record ? record->knobs : kByDefault;
}

using Steps = std::vector<const pipeline::HostStep*>;

Outcome race_code(const CpuTrial& trial, const Steps& steps, const KnobBook& book, const std::string& knobs,
                  const Steps& other_steps, const KnobBook& incumbent, const std::string& other_knobs,
                  Turns turns) {
  const Threads threads(trial.threads);
  const graph::Graph& graph = trial.model->graph;
  const CpuCode candidate(graph, steps, trial.options, book, threads.hook()),
      other(graph, other_steps, trial.options, incumbent, threads.hook());
  candidate.run();
  other.run();
  if (!candidate.computes_as(other)) return computes_something_else();
  return outcome_of(race({knobs, [&] { candidate.run(); }}, {other_knobs, [&] { other.run(); }}, turns.least,
                         turns.most, trial.stopwatch),
                    candidate.program_hash(), other.program_hash());
}

std::string program_hash(const runtime::Module& module) {
  std::string program;
  for (const runtime::KernelObject& object : module.objects)
    program += std::string(reinterpret_cast<const char*>(object.elf.data()), object.elf.size());
  for (const runtime::Step& step : module.steps)
    if (const auto* host = std::get_if<runtime::HostStep>(&step)) program += host->loop_ir;
  return explore::content_hash(program);
}

Outcome race_modules(const CpuTrial& trial, const KnobBook& book, const KnobBook& incumbent, Turns turns,
                     bool compare) {
  const runtime::Module module = module_with(trial, book), other_module = module_with(trial, incumbent);
  const std::vector<runtime::Bytes> inputs = inputs_of(module);
  runtime::SessionOptions how;
  how.threads = trial.threads;
  runtime::Session candidate(module, nullptr, how), other(other_module, nullptr, how);
  if (compare && !compute_the_same(candidate, other, inputs)) return computes_something_else();
  return outcome_of(
      race({text_of_knobs(book), [&] { candidate.run(inputs); }},
           {text_of_knobs(incumbent), [&] { other.run(inputs); }}, turns.least, turns.most, trial.stopwatch),
      program_hash(module), program_hash(other_module));
}

/// Parts that a network has with one book and not with another one.
struct Changed {
  Steps candidate, incumbent;
};

std::vector<graph::NodeId> nodes_of(const Steps& steps) {
  std::vector<graph::NodeId> nodes;
  for (const pipeline::HostStep* step : steps)
    nodes.insert(nodes.end(), step->nodes.begin(), step->nodes.end());
  std::ranges::sort(nodes);
  return nodes;
}

/// Whether a step stores its result in the place of a concatenation, whose other inputs are then of it, too.
bool stores_in_another(const graph::Graph& graph, const pipeline::HostStep& step) {
  return step.kernel.arguments.back().tensor != graph.node(step.nodes.back()).output;
}

/// Nothing where the books give the network other nodes, or where functions share what they store.
std::optional<Changed> changed(const pipeline::CompiledModel& candidate, const KnobBook& book,
                               const pipeline::CompiledModel& incumbent, const KnobBook& other) {
  if (graph::print(candidate.graph, graph::Data::LeftOut) !=
      graph::print(incumbent.graph, graph::Data::LeftOut))
    return std::nullopt;
  const auto only_in = [](const pipeline::CompiledModel& model, const KnobBook& of_model,
                          const pipeline::CompiledModel& without, const KnobBook& of_without) {
    std::map<std::vector<graph::NodeId>, std::string> there;
    for (const pipeline::Step& step : without.steps)
      if (const auto* host = std::get_if<pipeline::HostStep>(&step))
        there[host->nodes] = knobs_of(*host, of_without);
    Steps steps;
    for (const pipeline::Step& step : model.steps)
      if (const auto* host = std::get_if<pipeline::HostStep>(&step)) {
        const auto same = there.find(host->nodes);
        if (same == there.end() || same->second != knobs_of(*host, of_model)) steps.push_back(host);
      }
    return steps;
  };
  Changed found{only_in(candidate, book, incumbent, other), only_in(incumbent, other, candidate, book)};
  const auto shares = [&](const pipeline::HostStep* step) {
    return stores_in_another(candidate.graph, *step);
  };
  if (found.candidate.empty() || nodes_of(found.candidate) != nodes_of(found.incumbent) ||
      std::ranges::any_of(found.candidate, shares) || std::ranges::any_of(found.incumbent, shares))
    return std::nullopt;
  return found;
}

}  // namespace

pipeline::CompileOptions without_code(pipeline::CompileOptions options, const KnobBook& book) {
  options.book = book;
  options.machine_code = false;
  return options;
}

Outcome race_layer(const CpuTrial& trial, const std::string& task, const std::string& context,
                   const KnobBook& book, const KnobBook& incumbent, Turns turns) {
  try {
    const auto is_layer = [&](const pipeline::Step& step) {
      const auto* host = std::get_if<pipeline::HostStep>(&step);
      return host && host->kernel.task && host->kernel.task->task == task &&
             host->kernel.task->context == context;
    };
    const auto step = std::ranges::find_if(trial.model->steps, is_layer);
    VDLA_CHECK(step != trial.model->steps.end()) << "no layer is " << task << " with " << context;
    const auto& layer = std::get<pipeline::HostStep>(*step);
    return race_code(trial, {&layer}, book, knobs_of(layer, book), {&layer}, incumbent,
                     knobs_of(layer, incumbent), turns);
  } catch (const UserError& e) {
    return unbuildable(e.what());
  }
}

Outcome race_plan(const CpuTrial& trial, const KnobBook& book, const KnobBook& incumbent, Turns turns) {
  try {
    const pipeline::CompiledModel model = pipeline::compile(*trial.graph, without_code(trial.options, book));
    const auto functions = changed(model, book, *trial.model, incumbent);
    Outcome outcome = functions ? race_code(trial, functions->candidate, book, text_of_knobs(book),
                                            functions->incumbent, incumbent, text_of_knobs(incumbent), turns)
                                : race_modules(trial, book, incumbent, turns, true);
    outcome["raced"] = functions ? "functions" : "network";
    return outcome;
  } catch (const UserError& e) {
    return unbuildable(e.what());
  }
}

Outcome race_network(const CpuTrial& trial, const KnobBook& book, const KnobBook& incumbent) {
  try {
    return race_modules(trial, book, incumbent, kDuel, false);
  } catch (const UserError& e) {
    return unbuildable(e.what());
  }
}

}  // namespace vdla::tune
