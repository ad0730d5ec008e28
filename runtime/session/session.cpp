// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/session.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <new>
#include <optional>

#include <fmt/format.h>

#include "runtime/device/device_memory.h"
#include "runtime/device/device_program.h"
#include "runtime/module/module_check.h"
#include "runtime/session/aligned_memory.h"
#include "runtime/session/arena.h"
#include "runtime/session/gpu_runs.h"
#include "runtime/session/kept_state.h"
#include "runtime/session/kernel_proof.h"
#include "runtime/session/port.h"
#include "runtime/session/thread_pool.h"
#include "support/error.h"
#include "support/machine_memory.h"

namespace vdla::runtime {
namespace {

/// `what` of the module: "activations".
AlignedMemory allocate_arena(std::size_t bytes, const Module& module, const char* what) {
  VDLA_CHECK_USER(bytes < machine_memory()) << "the " << what << " of '" << module.model_name << "' need "
                                            << bytes << " bytes, this machine has " << machine_memory();
  try {
    return aligned_memory(bytes);
  } catch (const std::bad_alloc&) {
    throw UserError(
        fmt::format("the {} of '{}' need {} bytes, more than the memory that this process may have", what,
                    module.model_name, bytes));
  }
}

/// The kernels of a module's host steps by step index.
std::map<std::size_t, HostKernel> make_kernels(const Module& module, const SessionOptions& options,
                                               ParallelHook hook, std::optional<ObjectLoader>& loader) {
  std::map<std::size_t, HostKernel> kernels;
  for (std::size_t i = 0; i < module.steps.size(); ++i) {
    const auto* step = std::get_if<HostStep>(&module.steps[i]);
    if (!step || (options.gpu != nullptr && segment_of(module, i) != nullptr)) continue;
    if (!options.interpret && !loader) loader.emplace(module.objects, hook);
    if (!options.interpret && !loader->none()) {
      kernels[i] = loader->kernel(step->kernel);
      continue;
    }
    VDLA_CHECK_USER(options.interpreter)
        << "kernel '" << step->kernel << "' of '" << module.model_name
        << "' cannot run on this machine: " << (loader ? loader->why_none() : "interpretation was asked for")
        << ", and there is no interpreter; compile the model for this CPU (vdla compile, --cpu-target)";
    kernels[i] = options.interpreter(*step);
  }
  return kernels;
}

/// The proof is made here, where the program is about to run: a mark in the file would prove nothing.
void require_verified(const Module& module) {
  for (std::size_t i = 0; i < module.steps.size(); ++i) {
    const auto* step = std::get_if<DeviceStep>(&module.steps[i]);
    if (!step) continue;
    const isa::Report report = isa::verify(step->program, verify_options(*step));
    VDLA_CHECK_USER(report.clean()) << "'" << module.model_name << "' is refused, the program of step " << i
                                    << " cannot be proven right:\n"
                                    << report.text();
  }
}

/// Gives the constants that a step reads places behind `bytes`, which grows.
void place_constants(const Module& module, const HostStep& step, std::map<TensorIndex, std::size_t>& offsets,
                     std::size_t& bytes) {
  for (TensorIndex t : step.arguments)
    if (module.tensors[t].constant() && offsets.try_emplace(t, bytes).second)
      bytes += (module.tensors[t].bytes() + kTensorAlignment - 1) / kTensorAlignment * kTensorAlignment;
}

/// Tensors of whose writers each step is the last: parts of a concatenation are results of several.
std::vector<std::vector<TensorIndex>> results_by_step(const Module& module) {
  std::map<TensorIndex, std::size_t> last;
  for (std::size_t i = 0; i < module.steps.size(); ++i) {
    if (const auto* host = std::get_if<HostStep>(&module.steps[i]))
      for (const TensorIndex t : host->results) last[t] = i;
    else
      for (const DeviceTensor& d : std::get<DeviceStep>(module.steps[i]).outputs) last[d.tensor] = i;
  }
  std::vector<std::vector<TensorIndex>> results(module.steps.size());
  for (const auto& [t, step] : last) results[step].push_back(t);
  return results;
}

/// `input` in the module's own form.
void copy_input(const Module& module, const Port& port, const Bytes& input, std::span<std::byte> room) {
  const Tensor& tensor = module.tensors[port.tensor];
  VDLA_CHECK_USER(input.size() == room.size())
      << "input '" << port.name << "' has " << input.size() << " bytes, needs " << room.size() << ": "
      << name_of(tensor.type) << " " << to_string(tensor.shape);
  std::ranges::copy(input, room.begin());
}

/// Adds what the observer saw of a step's layers.
void add_layers(const Module& module, DeviceObserver& observer, std::size_t index, const DeviceStep& step,
                Result& result) {
  const std::vector<LayerCost> costs = observer.after(step);
  const auto& layers = step.program.source_map.layers;
  VDLA_CHECK(costs.size() == layers.size()) << costs.size() << " costs of " << layers.size() << " layers";
  for (std::size_t l = 0; l < layers.size(); ++l) {
    LayerResult row{.name = layers[l].name,
                    .op = layers[l].op,
                    .step = index,
                    .sources = layers[l].sources,
                    .cost = costs[l]};
    for (const NodeInfo& node : module.nodes) {
      if (node.layer != row.name || node.step != static_cast<std::int32_t>(index)) continue;
      row.macs += node.macs;
      row.ideal_gemm_cycles += ideal_gemm_cycles(node, module.variant.geometry);
    }
    result.layers.push_back(std::move(row));
  }
}

}  // namespace

struct Session::State {
  State(Module m, const vdla_transport* transport, SessionOptions o);

  std::byte* data(TensorIndex index) {
    Tensor& tensor = module.tensors[index];
    if (const auto own = constant_offsets.find(index); own != constant_offsets.end())
      return constants.get() + own->second;
    return tensor.constant() ? tensor.data.data() : memory.get() + plan.offsets[index];
  }
  void align_constants();
  bool adapts(const StepAlternatives& s) const;
  void add_alternatives();
  std::vector<void*> pointers(const HostStep& step);
  void set_inputs(const std::vector<Bytes>& inputs, bool of_model);
  Result run_steps();
  void run_in_order(Result& result);
  void run_step(std::size_t index, Result& result);
  void tell(TensorIndex t) {
    if (options.tensors) options.tensors->tensor(module.tensors[t], {data(t), module.tensors[t].bytes()});
  }
  void tell_results(std::size_t step) {
    if (options.tensors) std::ranges::for_each(results[step], [this](TensorIndex t) { tell(t); });
  }
  vdla_counters run_device(std::size_t index, const DeviceStep& step);
  void run_host(std::size_t index, const HostStep& step);

  Module module;
  SessionOptions options;
  ArenaPlan plan;
  AlignedMemory memory, constants;
  std::map<TensorIndex, std::size_t> constant_offsets;
  std::optional<KeptState> kept;
  std::unique_ptr<ThreadPool> pool;
  std::optional<ObjectLoader> loader;  // before kernels, which live in it
  std::map<std::size_t, HostKernel> kernels;
  std::vector<std::vector<TensorIndex>> results;  ///< results by step, for options.tensors
  std::map<std::size_t, Adaptation> adaptations;  ///< adaptations of steps that have other kernels
  std::optional<GpuRuns> gpu;  ///< runs of the module's segments; nothing where the CPU computes them
  std::map<std::size_t, DeviceProgram> programs;
  std::unique_ptr<Device> device;  // after programs: it is reset before their memory is given back
};

Session::State::State(Module m, const vdla_transport* transport, SessionOptions o)
    : module(std::move(m)), options(std::move(o)) {
  check(module);
  if (options.verify) require_verified(module);
  if (options.cpu_for_gpu || module.gpu.empty()) options.gpu = nullptr;
  VDLA_CHECK_USER(module.gpu.empty() || options.gpu != nullptr || options.cpu_for_gpu)
      << "'" << module.model_name << "' was compiled for '" << module.target << "': its steps from "
      << module.gpu[0].first_step
      << " on need a GPU, and this program has none; vdla run opens one, or compile "
      << "the model with --target cpu";
  if (needs_device(module)) {
    VDLA_CHECK_USER(transport != nullptr)
        << "'" << module.model_name << "' needs a device, and none was given";
    check_device_memory(module, transport->dma_bytes);  // before the device is written to
    device = std::make_unique<Device>(transport);
    device->require(module.variant.geometry,
                    fmt::format("'{}', compiled for variant '{}', cannot run on this device",
                                module.model_name, module.variant.name));
  }
  if (options.threads != 1) pool = std::make_unique<ThreadPool>(options.threads);
  plan = plan_arena(module);
  memory = allocate_arena(plan.bytes, module, "activations");
  kernels = make_kernels(module, options, pool ? pool->hook() : ParallelHook{}, loader);
  align_constants();
  add_alternatives();
  kept.emplace(module, [this](TensorIndex t) { return data(t); });
  if (options.tensors) results = results_by_step(module);
  if (options.gpu != nullptr)
    gpu.emplace(
        *options.gpu, module, [this](TensorIndex t) { return data(t); }, [this](TensorIndex t) { tell(t); },
        options.gpu_times, options.observer);
  for (std::size_t i = 0; i < module.steps.size(); ++i)
    if (const auto* step = std::get_if<DeviceStep>(&module.steps[i]))
      programs.try_emplace(i, *device, *step, module.variant.timing);
}

/// Copies what kernels read to addresses like those of all other tensors: vectors that cross cache lines
/// would take twice the time to load.
void Session::State::align_constants() {
  std::size_t bytes = 0;
  const auto add = [&](const HostStep& step) { place_constants(module, step, constant_offsets, bytes); };
  for (std::size_t i = 0; i < module.steps.size(); ++i) {
    const auto* host = std::get_if<HostStep>(&module.steps[i]);
    if (!host || (options.gpu != nullptr && segment_of(module, i) != nullptr)) continue;
    add(*host);
  }
  for (const StepAlternatives& s : module.alternatives)
    if (adapts(s))
      for (const Alternative& other : s.others) add(other.step);
  constants = allocate_arena(bytes, module, "constants");
  for (const auto& [t, offset] : constant_offsets)
    std::ranges::copy(module.tensors[t].data, constants.get() + offset);
}

std::vector<void*> Session::State::pointers(const HostStep& step) {
  std::vector<void*> arguments;
  for (TensorIndex t : step.arguments) arguments.push_back(data(t));
  return arguments;
}

/// Whether a step runs one of several kernels here: of machine code, on the CPU, with results to be had.
bool Session::State::adapts(const StepAlternatives& s) const {
  if (!options.adapt || options.interpret || !loader || loader->none() || !kernels.contains(s.step))
    return false;
  const auto& own = std::get<HostStep>(module.steps[s.step]);
  return std::ranges::none_of(own.results, [&](TensorIndex t) { return module.tensors[t].bytes() == 0; });
}

void Session::State::add_alternatives() {
  const auto constant = [this](TensorIndex t) { return data(t); };
  for (const StepAlternatives& s : module.alternatives) {
    if (!adapts(s)) continue;
    const auto& own = std::get<HostStep>(module.steps[s.step]);
    const ProvableKernel first{&own, kernels.at(s.step)};
    std::vector<Adaptation::Kernel> candidates{
        {own.kernel, [run = first.run, arguments = pointers(own)] { run(arguments); }}};
    for (const Alternative& other : s.others) {
      const ProvableKernel next{&other.step, loader->kernel(other.step.kernel)};
      candidates.push_back({other.step.kernel,
                            [run = next.run, arguments = pointers(other.step)] { run(arguments); },
                            [=, this] { return give_equal_results(module, first, next, constant); }});
    }
    const auto known = options.chosen_kernels.find(s.step);
    adaptations.try_emplace(
        s.step, std::move(candidates),
        known == options.chosen_kernels.end() ? std::nullopt : std::optional(known->second));
  }
}

/// Sets inputs in the model's type and layout, or the module's own.
void Session::State::set_inputs(const std::vector<Bytes>& inputs, bool of_model) {
  VDLA_CHECK_USER(inputs.size() == module.inputs.size())
      << "'" << module.model_name << "' has " << module.inputs.size() << " inputs, got " << inputs.size();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Port& port = module.inputs[i];
    const std::span room(data(port.tensor), module.tensors[port.tensor].bytes());
    of_model ? to_tensor(module, port, inputs[i], room) : copy_input(module, port, inputs[i], room);
    tell(port.tensor);
  }
  for (const runtime::State& s : module.states) tell(s.begin);
}

vdla_counters Session::State::run_device(std::size_t index, const DeviceStep& step) {
  DeviceProgram& program = programs.at(index);
  for (const DeviceTensor& d : step.inputs) program.write(d, module.tensors[d.tensor], data(d.tensor));
  if (options.observer) options.observer->before(index, step, program.addresses());
  const vdla_counters counters = program.run(options.timeout, options.stall_limit);
  for (const DeviceTensor& d : step.outputs) program.read(d, module.tensors[d.tensor], data(d.tensor));
  return counters;
}

void Session::State::run_host(std::size_t index, const HostStep& step) {
  const auto is_empty = [&](TensorIndex t) { return module.tensors[t].bytes() == 0; };
  if (std::ranges::all_of(step.results, is_empty)) return;  // whatever it would touch is not there
  if (const auto several = adaptations.find(index); several != adaptations.end())
    return several->second.run();
  kernels.at(index)(pointers(step));
}

void Session::State::run_step(std::size_t index, Result& result) {
  if (const auto several = adaptations.find(index); several != adaptations.end()) several->second.prepare();
  const auto begin = std::chrono::steady_clock::now();
  StepResult row{.step = index};
  const auto* device_step = std::get_if<DeviceStep>(&module.steps[index]);
  if (device_step) {
    row.on_device = true;
    row.counters = run_device(index, *device_step);
    result.cycles += row.counters.cycles;
    result.read_bytes += row.counters.read_bytes;
    result.write_bytes += row.counters.write_bytes;
  } else {
    run_host(index, std::get<HostStep>(module.steps[index]));
  }
  row.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  result.steps.push_back(row);
  tell_results(index);
  if (device_step && options.observer) add_layers(module, *options.observer, index, *device_step, result);
}

Session::Session(Module module, const vdla_transport* transport, SessionOptions options)
    : state_(std::make_unique<State>(std::move(module), transport, std::move(options))) {}
Session::Session(Session&&) noexcept = default;
Session::~Session() = default;

const Module& Session::module() const { return state_->module; }

std::vector<StepUse> Session::kernel_use() const {
  std::vector<StepUse> all;
  for (const auto& [step, adaptation] : state_->adaptations) {
    all.push_back(adaptation.use());
    all.back().step = step;
  }
  return all;
}

void Session::State::run_in_order(Result& result) {
  for (std::size_t i = 0; i < module.steps.size(); ++i) {
    if (gpu) gpu->wait_for(i, result.gpu);
    const GpuSegment* segment = gpu ? segment_of(module, i) : nullptr;
    if (segment == nullptr) {
      run_step(i, result);
      continue;
    }
    gpu->start(static_cast<std::size_t>(segment - module.gpu.data()), result.gpu);
    i = segment->end_step() - 1;
  }
  if (gpu) gpu->wait_for(module.steps.size(), result.gpu);
}

Result Session::State::run_steps() {
  Result result;
  try {
    run_in_order(result);
  } catch (...) {
    if (gpu) gpu->abandon();
    throw;
  }
  for (const Port& port : module.outputs) {
    const std::byte* begin = data(port.tensor);
    result.outputs.emplace_back(begin, begin + module.tensors[port.tensor].bytes());
  }
  kept->go_on();
  if (device) result.warning = device->warning();
  return result;
}

Result Session::run(const std::vector<Bytes>& inputs) {
  state_->set_inputs(inputs, false);
  return state_->run_steps();
}

void Session::reset_state() { state_->kept->reset(); }
std::vector<Bytes> Session::state() const { return state_->kept->values(); }
void Session::set_state(const std::vector<Bytes>& values) { state_->kept->set(values); }

Result Session::run_model(const std::vector<Bytes>& inputs) {
  const Module& m = state_->module;
  state_->set_inputs(inputs, true);
  Result result = state_->run_steps();
  for (std::size_t i = 0; i < result.outputs.size(); ++i)
    result.outputs[i] = to_model(m, m.outputs[i], result.outputs[i]);
  return result;
}

}  // namespace vdla::runtime
