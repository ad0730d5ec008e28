// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/gpu_trials.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "kit/gpu_device.h"
#include "support/error.h"
#include "support/refused_as.h"
#include "tools/explore/hash.h"
#include "tools/tune/plan_tasks.h"

namespace vdla::tune {
namespace {

using explore::Json;
using pipeline::KnobBook;

constexpr std::byte kUnwritten{0xff};  // floats: not a number

/// There is no program, or the device does not take it.
struct Refused : UserError {
  using UserError::UserError;
};

/// A part of the network in the memory of the device.
class GpuPart {
 public:
  GpuPart(gpu::Device& device, const graph::Graph& graph, targets::GpuSteps steps)
      : graph_(graph),
        steps_(std::move(steps)),
        program_(refused_as<Refused>([&] { return device.load(steps_.network.program); })) {
    for (const targets::GridNetwork::Constant& c : steps_.network.constants)
      program_->write(c.buffer, *c.data);
    for (const graph::TensorId id : steps_.inputs) {
      runtime::Bytes bytes(graph.tensor(id).bytes());
      fill(bytes, graph.tensor(id).type, static_cast<unsigned>(id) + 1);
      program_->write(buffer_of(id), bytes);
    }
    for (const graph::TensorId id : steps_.outputs)
      program_->write(buffer_of(id), runtime::Bytes(graph.tensor(id).bytes(), kUnwritten));
    program_->run();
    for (const graph::TensorId id : steps_.outputs)
      program_->read(buffer_of(id), results_.emplace_back(graph.tensor(id).bytes()));
  }

  double seconds(const GpuStopwatch& stopwatch, const std::string& knobs) {
    return stopwatch(*program_, steps_.network.program.launches.size(), knobs);
  }

  bool computes_the_same(const GpuPart& other) const {
    for (std::size_t i = 0; i < results_.size(); ++i)
      if (!are_alike(results_[i], other.results_[i], graph_.tensor(steps_.outputs[i]).type)) return false;
    return true;
  }

  /// Text that its kernels are made of, and how they are launched.
  std::string text() const {
    std::string text;
    for (const gpu::Part& part : steps_.network.program.parts) text += part.text;
    for (const gpu::Launch& l : steps_.network.program.launches)
      text += fmt::format("{} {} {} {}\n", l.kernel, fmt::join(l.blocks, "x"), fmt::join(l.threads, "x"),
                          l.shared_bytes);
    return text;
  }

 private:
  std::size_t buffer_of(graph::TensorId id) const {
    const auto& tensors = steps_.network.tensors;
    return static_cast<std::size_t>(std::ranges::find(tensors, id) - tensors.begin());
  }

  const graph::Graph& graph_;
  const targets::GpuSteps steps_;
  const std::unique_ptr<gpu::Loaded> program_;
  std::vector<runtime::Bytes> results_;
};

/// Parts that run one after the other, with one book.
struct GpuContender {
  std::string knobs;
  std::vector<std::unique_ptr<GpuPart>> parts;

  double seconds(const GpuStopwatch& stopwatch) const {
    double all = 0;
    for (const auto& part : parts) all += part->seconds(stopwatch, knobs);
    return all;
  }
  bool computes_the_same(const GpuContender& other) const {
    return std::ranges::equal(parts, other.parts,
                              [](const auto& a, const auto& b) { return a->computes_the_same(*b); });
  }
  std::string program() const {
    std::string text;
    for (const auto& part : parts) text += part->text();
    return explore::content_hash(text);
  }
};

/// State that the races of one network share. The device is that of the process that races.
class GpuNetwork {
 public:
  GpuNetwork(const graph::Graph& graph, const pipeline::CompileOptions& compile, GpuTrialOptions options)
      : options_(std::move(options)),
        network_(graph),
        compile_(compile),
        compiled_(compiled_with({pipeline::target_of(*compile.gpu), {}, {}})) {
    for (const targets::GpuSteps& steps : compiled_.gpu)
      for (std::size_t i = 0; i < steps.network.functions.size(); ++i)
        if (const auto& task = steps.network.functions[i].task; task && add_task(tasks_, *task))
          layers_.push_back(std::get<pipeline::HostStep>(compiled_.steps.at(steps.first_step + i)).nodes);
  }

  const std::vector<Task>& tasks() const { return tasks_; }

  Outcome race_layer(const std::string& task, const std::string& context, const KnobBook& book,
                     const KnobBook& incumbent, Turns turns) {
    const auto found =
        std::ranges::find_if(tasks_, [&](const Task& t) { return t.task == task && t.context == context; });
    const auto& nodes = layers_.at(static_cast<std::size_t>(found - tasks_.begin()));
    const auto with = [&](const KnobBook& of) {
      targets::GridLayer layer = refused_as<Refused>([&] { return layer_with(nodes, of); });
      GpuContender made{knobs_of(layer.function.task, of), {}};
      made.parts.push_back(
          std::make_unique<GpuPart>(device(), compiled_.graph, alone(std::move(layer), nodes.back())));
      return made;
    };
    return raced(with, book, incumbent, turns);
  }

  Outcome race_network(const KnobBook& book, const KnobBook& incumbent) {
    const auto with = [&](const KnobBook& of) {
      GpuContender made{text_of_knobs(of), {}};
      for (targets::GpuSteps& steps : refused_as<Refused>([&] { return compiled_with(of); }).gpu)
        made.parts.push_back(std::make_unique<GpuPart>(device(), compiled_.graph, std::move(steps)));
      return made;
    };
    return raced(with, book, incumbent, kDuel);
  }

 private:
  const pipeline::GpuOptions& gpu() const { return *compile_.gpu; }

  pipeline::CompiledModel compiled_with(const KnobBook& book) const {
    pipeline::CompileOptions options = compile_;
    options.gpu->book = book;
    return pipeline::compile(network_, options);
  }

  targets::GridLayer layer_with(const std::vector<graph::NodeId>& nodes, const KnobBook& book) const {
    return targets::grid_layer(
        targets::gpu_target(gpu().kind),
        {.graph = compiled_.graph, .nodes = nodes, .options = compile_, .knobs = {.book = &book}});
  }

  static std::string knobs_of(const std::optional<pipeline::KnobTask>& task, const KnobBook& book) {
    const pipeline::KnobRecord* record = task ? book.find(task->task, task->context) : nullptr;
    return record ? record->knobs : kByDefault;
  }

  /// A function as if it were all of the network.
  targets::GpuSteps alone(targets::GridLayer layer, graph::NodeId last) const {
    std::vector<targets::GridLayer> layers;
    layers.push_back(std::move(layer));
    const graph::TensorId result = compiled_.graph.node(last).output;
    targets::GpuSteps steps{.kind = gpu().kind,
                            .network = targets::join_layers(compiled_.graph, std::move(layers), {}),
                            .inputs = {},
                            .outputs = {result}};
    for (const graph::TensorId id : steps.network.tensors)
      if (id != graph::kNone && id != result) steps.inputs.push_back(id);
    return steps;
  }

  template <class With>
  Outcome raced(const With& with, const KnobBook& book, const KnobBook& incumbent, Turns turns) const {
    try {
      const GpuContender candidate = with(book), other = with(incumbent);
      if (!candidate.computes_the_same(other)) return computes_something_else();
      const auto turn_of = [&](const GpuContender& c) -> Turn {
        return [&] { return c.seconds(options_.stopwatch); };
      };
      return outcome_of(race(turn_of(candidate), turn_of(other), turns.least, turns.most),
                        candidate.program(), other.program());
    } catch (const Refused& error) {
      return unbuildable(error.what());
    }
  }

  gpu::Device& device() {
    if (!device_) device_ = kit::open_gpu(gpu().kind, options_.device);
    return *device_;
  }

  const GpuTrialOptions options_;
  const graph::Graph network_;
  const pipeline::CompileOptions compile_;
  const pipeline::CompiledModel compiled_;  ///< with default knobs
  std::vector<Task> tasks_;
  std::vector<std::vector<graph::NodeId>> layers_;  ///< nodes, by task
  std::unique_ptr<gpu::Device> device_;
};

/// A driver that was opened here could not be used in the processes that measure.
std::string name_of_device(const std::string& kind, const GpuTrialOptions& options) {
  Workers workers(1, options.limit_seconds, [&](const Json&, unsigned) -> Json {
    return {{"status", "ok"}, {"name", kit::open_gpu(kind, options.device)->name()}};
  });
  const Json answer = workers.run({Json::object()})[0];
  VDLA_CHECK_USER(answer.at("status") == "ok")
      << "there is no GPU to measure on: " << answer.at("reason").get<std::string>();
  return answer.at("name").get<std::string>();
}

}  // namespace

double device_seconds(gpu::Loaded& program, std::size_t launches, const std::string& /*knobs*/) {
  return program.time(0, launches, {.samples = 1}).at(0);
}

LayerTrials gpu_trials(const graph::Graph& graph, const pipeline::CompileOptions& compile,
                       const GpuTrialOptions& options) {
  LayerTrials trials;
  trials.target = pipeline::target_of(*compile.gpu);
  trials.engine = pipeline::kGpuEngine;
  trials.machine = {{"device", name_of_device(compile.gpu->kind, options)}};
  trials.renew = Workers::Renew::AfterFailure;
  const auto network = std::make_shared<GpuNetwork>(graph, compile, options);
  trials.tasks_with = [network](const KnobBook&) -> const std::vector<Task>& { return network->tasks(); };
  trials.race = [network](const std::string& task, const std::string& context, const KnobBook& book,
                          const KnobBook& incumbent,
                          Turns turns) { return network->race_layer(task, context, book, incumbent, turns); };
  trials.race_network = [network](const KnobBook& book, const KnobBook& incumbent) {
    return network->race_network(book, incumbent);
  };
  return trials;
}

}  // namespace vdla::tune
