// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/cpu_trial.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/pipeline/host/host_lowering.h"
#include "compiler/pipeline/host/host_object.h"
#include "kit/module.h"
#include "runtime/host_kernel.h"
#include "runtime/session.h"
#include "runtime/thread_pool.h"
#include "support/error.h"
#include "tools/explore/hash.h"
#include "tools/tune/trial_values.h"

namespace vdla::tune {
namespace {

using pipeline::KnobBook;

/// Bytes where vectors begin a cache line, as the runtime has all tensors.
class Line {
 public:
  explicit Line(std::size_t bytes) : size_(bytes) {
    constexpr std::size_t kLine = 64;
    bytes_.reset(static_cast<std::byte*>(std::aligned_alloc(kLine, (bytes + kLine) / kLine * kLine)));
    if (!bytes_) throw std::bad_alloc();
    std::memset(bytes_.get(), 0, bytes);
  }
  explicit Line(std::span<const std::byte> from) : Line(from.size()) {
    std::memcpy(bytes_.get(), from.data(), from.size());
  }

  std::byte* data() const { return bytes_.get(); }
  std::span<std::byte> bytes() const { return {bytes_.get(), size_}; }

 private:
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  std::size_t size_;
  std::unique_ptr<std::byte, Free> bytes_;
};

/// A layer in this process: its code and the memory that it works on.
class Layer {
 public:
  Layer(const CpuTrial& trial, const pipeline::HostStep& step, const KnobBook& book, ParallelHook hook) {
    const graph::Graph& graph = trial.model->graph;
    const pipeline::HostKernel kernel =
        pipeline::host_kernel(graph, step.nodes, trial.options.cpu, {}, &book);
    const loop::Func code = pipeline::lowered_kernel(kernel.func, {});
    std::vector<runtime::KernelObject> objects;
    for (const pipeline::HostObject& object : pipeline::host_objects({code}, trial.options))
      objects.push_back({object.triple, object.cpu, object.features, object.elf});
    VDLA_CHECK_USER(!objects.empty()) << "the kit was built without LLVM and makes no machine code to "
                                         "measure: install llvm-dev and build again";
    loader_.emplace(objects, hook);
    VDLA_CHECK_USER(!loader_->none()) << "this machine cannot run the code: " << loader_->why_none();
    kernel_ = loader_->kernel(kernel.func.name);
    for (const runtime::KernelObject& object : objects)
      program_ += std::string(reinterpret_cast<const char*>(object.elf.data()), object.elf.size());
    if (kernel.task)
      if (const pipeline::KnobRecord* record = book.find(kernel.task->task, kernel.task->context))
        knobs_ = record->knobs;
    output_ = graph.node(step.nodes.back()).output;
    for (const pipeline::KernelArgument& a : kernel.arguments) {
      if (a.tensor == graph::kNone) {
        memory_.emplace_back(*a.data);
      } else if (const graph::Tensor& t = graph.tensor(a.tensor); t.constant()) {
        memory_.emplace_back(*t.data);
      } else {
        memory_.emplace_back(t.bytes());
        if (a.tensor == output_)
          result_ = memory_.size() - 1;
        else
          fill(memory_.back().bytes(), t.type, static_cast<unsigned>(a.tensor) + 1);
      }
    }
    for (const Line& line : memory_) arguments_.push_back(line.data());
    type_ = graph.tensor(output_).type;
  }

  void run() const { kernel_(arguments_); }
  const std::string& knobs() const { return knobs_; }
  std::string program() const { return explore::content_hash(program_); }
  std::span<const std::byte> result() const { return memory_[result_].bytes(); }
  graph::DataType type() const { return type_; }

 private:
  std::optional<runtime::ObjectLoader> loader_;
  runtime::HostKernel kernel_;
  std::string program_, knobs_ = kByDefault;
  graph::TensorId output_ = graph::kNone;
  graph::DataType type_{};
  std::size_t result_ = 0;
  std::vector<Line> memory_;
  std::vector<void*> arguments_;
};

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

std::vector<runtime::Bytes> inputs_of(const runtime::Module& module) {
  std::vector<runtime::Bytes> inputs;
  for (const runtime::Port& port : module.inputs) {
    const runtime::Tensor& tensor = module.tensors[port.tensor];
    inputs.emplace_back(tensor.bytes());
    fill(inputs.back(),
         tensor.type == runtime::DataType::Float32 ? graph::DataType::Float32 : graph::DataType::Int8,
         port.tensor + 1);
  }
  return inputs;
}

}  // namespace

Outcome race_layer(const CpuTrial& trial, std::size_t step, const KnobBook& book, const KnobBook& incumbent,
                   Turns turns) {
  try {
    const Threads threads(trial.threads);
    const auto& host = std::get<pipeline::HostStep>(trial.model->steps.at(step));
    const Layer candidate(trial, host, book, threads.hook()), other(trial, host, incumbent, threads.hook());
    candidate.run();
    other.run();
    if (!are_alike(candidate.result(), other.result(), candidate.type())) return computes_something_else();
    return outcome_of(race({candidate.knobs(), [&] { candidate.run(); }},
                           {other.knobs(), [&] { other.run(); }}, turns.least, turns.most, trial.stopwatch),
                      candidate.program());
  } catch (const UserError& e) {
    return unbuildable(e.what());
  }
}

Outcome race_network(const CpuTrial& trial, const KnobBook& book, const KnobBook& incumbent) {
  try {
    const runtime::Module module = module_with(trial, book);
    std::string program;
    for (const runtime::KernelObject& object : module.objects)
      program += std::string(reinterpret_cast<const char*>(object.elf.data()), object.elf.size());
    const std::vector<runtime::Bytes> inputs = inputs_of(module);
    runtime::SessionOptions how;
    how.threads = trial.threads;
    runtime::Session candidate(module, nullptr, how), other(module_with(trial, incumbent), nullptr, how);
    return outcome_of(
        race({text_of_knobs(book), [&] { candidate.run(inputs); }},
             {text_of_knobs(incumbent), [&] { other.run(inputs); }}, kDuel.least, kDuel.most, trial.stopwatch),
        explore::content_hash(program));
  } catch (const UserError& e) {
    return unbuildable(e.what());
  }
}

}  // namespace vdla::tune
