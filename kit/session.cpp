// SPDX-License-Identifier: Apache-2.0
#include "kit/session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>

#include "compiler/graph/types.h"
#include "compiler/loop/interpret.h"
#include "compiler/loop/parse.h"
#include "isa/spec/registers.h"
#include "isa/variants/variants.h"
#include "kit/device_variant.h"
#include "kit/gpu_device.h"
#include "kit/gpu_timeline.h"
#include "kit/inner_tensors.h"
#include "runtime/device/device.h"
#include "sim/functional/core.h"
#include "sim/rtl/engine.h"
#include "sim/timeline/timeline.h"
#include "sim/timeline/tokens.h"
#include "sim/trace/recorder.h"
#include "sim/trace/window.h"
#include "support/error.h"

namespace vdla::kit {

/// Derives layer costs and profiles from the engine's events of one step.
class Session::Observer final : public runtime::DeviceObserver {
 public:
  Observer(sim::Engine& engine, const runtime::Module& module, const SessionOptions& wanted)
      : engine_(engine), timing_(module.variant.timing), timeline_layers_(wanted.timeline_layers) {
    if (wanted.timeline == nullptr) return;
    timeline_.emplace(*wanted.timeline, wanted.timeline_form,
                      module.model_name + " on " + isa::label(module.variant),
                      [this](std::uint32_t insn) { return label(insn); });
    if (!timeline_layers_.empty()) return;  // draw_window() does it
    both_.emplace(std::vector<trace::Sink*>{&recorder_, &*timeline_});
  }
  ~Observer() override { engine_.set_trace(nullptr); }

  void set_module(const runtime::Module& module) {
    module_ = &module;
    gpu_.emplace(timing_.clock_mhz);
  }
  const std::vector<StepProfile>& profiles() const { return profiles_; }
  std::optional<std::uint64_t> started_at() const {
    const auto& events = recorder_.events();
    const auto starts = std::views::reverse(events);
    const auto last = std::ranges::find(starts, trace::EventType::Start, &trace::Event::type);
    return last == starts.end() ? std::nullopt : std::optional(last->begin);
  }
  void end_timeline() {
    draw_window();  // window of a run that did not come to its end
    if (timeline_) timeline_->finish();
  }

  void before(std::size_t index, const runtime::DeviceStep& step, const runtime::WindowAddresses&) override {
    step_ = index;
    if (!profiles_.empty() && profiles_.back().step >= index) profiles_.clear();  // the next inference
    recorder_.clear();
    window_drawn_ = false;
    program_ = &step.program;
    if (timeline_) tokens_ = timeline::tokens_of(step.program);
    engine_.set_trace(both_ ? static_cast<trace::Sink*>(&*both_) : &recorder_);
  }

  std::vector<runtime::LayerCost> after(const runtime::DeviceStep& step) override {
    engine_.set_trace(nullptr);
    draw_window();
    const auto& map = step.program.source_map;
    trace::ProfileOptions options;
    options.layers = map.layers.size();
    options.layer_of = [&](std::uint32_t insn) -> std::size_t {
      return insn < map.insns.size() ? map.insns[insn].layer : isa::Source::kNone;
    };
    options.windows = window_places();
    options.bus_bytes_per_cycle = timing_.dram_bytes_per_cycle;
    std::vector<runtime::LayerCost> costs(map.layers.size());
    for (const auto run : trace::runs_of(recorder_.events())) {
      profiles_.push_back({step_, trace::profile(run, options)});
      const auto& layers = profiles_.back().profile.layers;
      for (std::size_t i = 0; i < costs.size(); ++i) {
        costs[i].cycles += layers[i].cycles;
        costs[i].read_bytes += layers[i].traffic.read_bytes;
        costs[i].write_bytes += layers[i].traffic.write_bytes;
      }
    }
    return costs;
  }

  void before_gpu(const runtime::GpuSegment& segment) override {
    if (both_) gpu_->begin(static_cast<std::size_t>(&segment - module_->gpu.data()), timeline_->now());
  }

  /// A slice of the timeline for each layer.
  void after_gpu(const runtime::GpuSegment& segment, const runtime::GpuResult& run) override {
    if (!both_) return;  // no timeline, or one of certain layers
    const std::vector<CycleSpan> layers = gpu_->end(run.segment, run.layer_seconds);
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const runtime::NodeInfo* node = runtime::main_node(*module_, segment.first_step + i);
      timeline_->beside({"GPU",
                         node ? node->name : segment.layers[i].by,
                         layers[i].begin,
                         layers[i].cycles,
                         {{"op", node ? node->op : ""},
                          {"template", segment.layers[i].by},
                          {"time", fmt::format("{:.1f} us", 1e6 * run.layer_seconds[i])}}});
    }
    if (!layers.empty()) timeline_->wait_until(layers.back().end());
  }

 private:
  /// Draws what the recorder holds of the chosen layers, once.
  void draw_window() {
    if (!timeline_ || timeline_layers_.empty() || program_ == nullptr || std::exchange(window_drawn_, true))
      return;
    const auto chosen = [this](std::uint32_t insn) {
      const isa::SourceMap& map = program_->source_map;
      const isa::SourceLayer* layer = insn < map.insns.size() ? map.layer_of(insn) : nullptr;
      return layer != nullptr && timeline_layers_.contains(layer->name);
    };
    for (const auto run : trace::runs_of(recorder_.events()))
      for (const trace::Event& e : trace::window_of(run, chosen)) timeline_->event(e);
  }

  /// Label of an instruction of the step that runs.
  timeline::Label label(std::uint32_t insn) const {
    const isa::SourceMap& map = program_->source_map;
    timeline::Label label;
    if (insn < tokens_.pushed.size()) {
      label.pushed = tokens_.pushed[insn];
      label.popped = tokens_.popped[insn];
    }
    if (insn >= map.insns.size()) return label;
    if (const isa::SourceLayer* layer = map.layer_of(insn)) {
      label.layer = layer->name;
      label.layer_number = map.insns[insn].layer;
    }
    if (const auto loop = map.insns[insn].loop; loop < map.loops.size()) label.loop = map.loops[loop];
    return label;
  }

  std::array<trace::WindowExtent, isa::kWindowCount> window_places() {
    std::array<trace::WindowExtent, isa::kWindowCount> places;
    for (std::uint32_t w = 0; w < places.size(); ++w) {
      const auto read = [&](isa::Register low) {
        const std::uint32_t offset = static_cast<std::uint32_t>(low) + w * isa::kWindowStride;
        return engine_.read_register(offset) | std::uint64_t{engine_.read_register(offset + 4)} << 32;
      };
      places[w] = {read(isa::Register::WINDOW0_BASE_LO), read(isa::Register::WINDOW0_SIZE_LO)};
    }
    return places;
  }

  sim::Engine& engine_;
  const isa::Timing timing_;
  const std::set<std::string> timeline_layers_;
  bool window_drawn_ = false;
  trace::Recorder recorder_;
  std::optional<timeline::Timeline> timeline_;
  timeline::Tokens tokens_;         ///< tokens of the program that runs, for the timeline
  std::optional<GpuTimeline> gpu_;  ///< on it
  std::optional<trace::Fanout> both_;
  const isa::Program* program_ = nullptr;
  std::size_t step_ = 0;  ///< index of the step that runs
  const runtime::Module* module_ = nullptr;
  std::vector<StepProfile> profiles_;
};

namespace {

/// Observer of layers without time: it has the bytes that their instructions move.
class BytesOfLayers final : public runtime::DeviceObserver {
 public:
  void before(std::size_t, const runtime::DeviceStep&, const runtime::WindowAddresses&) override {}
  std::vector<runtime::LayerCost> after(const runtime::DeviceStep& step) override {
    const isa::Program& program = step.program;
    std::vector<runtime::LayerCost> costs(program.source_map.layers.size());
    for (std::size_t i = 0; i < program.source_map.insns.size(); ++i) {
      const std::size_t layer = program.source_map.insns[i].layer;
      if (layer >= costs.size()) continue;
      const isa::Insn& insn = program.insns[i];
      const bool store = isa::opcode_of(insn) == isa::Opcode::Store;
      (store ? costs[layer].write_bytes : costs[layer].read_bytes) += sim::dram_bytes(insn, program.geometry);
    }
    return costs;
  }
};

/// UserError unless the loop program has the parameters that the step says, and writes its results alone.
void require_parameters(const loop::Func& func, const runtime::HostStep& step) {
  VDLA_CHECK_USER(func.params.size() == step.parameters.size())
      << "kernel '" << step.kernel << "' has " << step.parameters.size() << " parameters, its loop program "
      << func.params.size();
  for (std::size_t i = 0; i < func.params.size(); ++i) {
    const expr::Buffer& buffer = *func.params[i].buffer;
    const auto type = runtime::name_of(step.parameters[i].type);
    const auto bytes = static_cast<std::uint64_t>(expr::storage_size(buffer) * expr::bytes(buffer.dtype));
    VDLA_CHECK_USER(bytes == step.parameters[i].bytes &&
                    graph::name_of(graph::data_type_of(buffer.dtype)) == type)
        << "parameter " << i << " of kernel '" << step.kernel << "' has " << step.parameters[i].bytes
        << " bytes of " << type << ", in its loop program " << bytes << " of "
        << graph::name_of(graph::data_type_of(buffer.dtype));
    const bool is_result = std::ranges::find(step.results, step.arguments[i]) != step.results.end();
    VDLA_CHECK_USER(is_result == (func.params[i].direction != loop::Direction::In))
        << "parameter " << i << " of kernel '" << step.kernel << "' is "
        << (is_result ? "a result" : "no result") << ", in its loop program "
        << loop::name(func.params[i].direction);
  }
}

/// Runs the loop program of a host kernel in the interpreter: where no machine code fits this CPU, or none is
/// wanted. runtime::check() has compared the bytes that the program touches with the tensors.
runtime::HostKernel interpret(const runtime::HostStep& step) {
  const loop::Func func = loop::parse(step.loop_ir);
  require_parameters(func, step);
  std::vector<std::size_t> sizes;
  for (const runtime::KernelParameter& p : step.parameters)
    sizes.push_back(static_cast<std::size_t>(p.bytes));
  auto interpreter = std::make_shared<loop::Interpreter>(func);
  return [interpreter, sizes](std::span<void* const> arguments) {
    std::vector<std::span<std::byte>> spans;
    for (std::size_t i = 0; i < sizes.size(); ++i)
      spans.emplace_back(static_cast<std::byte*>(arguments[i]), sizes[i]);
    interpreter->run(spans);
  };
}

/// Takes the place of a host kernel whose values are not wanted.
runtime::HostKernel leave(const runtime::HostStep&) {
  return [](std::span<void* const>) {};
}

runtime::SessionOptions options_of(const SessionOptions& wanted) {
  runtime::SessionOptions options;
  options.interpreter = wanted.host_steps ? interpret : leave;
  options.interpret = wanted.interpret || !wanted.host_steps;
  options.adapt = wanted.adapt;
  options.chosen_kernels = wanted.chosen_kernels;
  options.gpu_times = wanted.gpu_times;
  options.threads = wanted.threads;
  options.verify = wanted.verify;
  options.tensors = wanted.probe;
  options.stall_limit = wanted.limits.stall_limit;
  options.timeout = wanted.limits.timeout;
  return options;
}

}  // namespace

Session::Session(runtime::Module module, const std::string& engine, const SessionOptions& wanted) {
  options_ = options_of(wanted);
  if (runtime::needs_device(module)) {
    VDLA_CHECK_USER(!engine.empty()) << "model '" << module.model_name << "' needs the device; needs engine "
                                     << fmt::format("{}", fmt::join(engine_names(), ", "));
    own_ = open_engine(make_engine(engine, module.variant, wanted.engine));
    name_ = own_.engine->name();
    if (wanted.probe != nullptr) {
      inner_ = std::make_unique<InnerTensors>(*own_.engine, *wanted.probe);
      options_.observer = inner_.get();
    } else if (wanted.costs && has_time()) {
      observer_ = std::make_unique<Observer>(*own_.engine, module, wanted);
      options_.observer = observer_.get();
    } else if (wanted.costs) {
      bytes_ = std::make_unique<BytesOfLayers>();
      options_.observer = bytes_.get();
    }
  }
  device_ = own_.transport;
  if (device_ != nullptr && wanted.through) device_ = wanted.through(device_);
  start(std::move(module), wanted);
}

Session::Session(runtime::Module module, const vdla_transport* transport, std::string name,
                 const SessionOptions& wanted) {
  VDLA_CHECK_USER(wanted.timeline == nullptr) << "a timeline needs an engine: " << name << " has no trace";
  if (runtime::needs_device(module)) name_ = std::move(name);
  device_ = wanted.through ? wanted.through(transport) : transport;
  options_ = options_of(wanted);
  try {
    start(std::move(module), wanted);
  } catch (const runtime::DeviceError& e) {
    if (e.status() != VDLA_DRIVER_GEOMETRY) throw;
    const std::string command = command_that_fits(runtime::read_facts(*transport), wanted.chosen);
    throw runtime::DeviceError(e.status(), e.what() + (command.empty() ? "" : ": " + command));
  }
}

void Session::start(runtime::Module module, const SessionOptions& wanted) {
  cpu_without_gpu_ = wanted.cpu_without_gpu;
  // The interpreter is asked for in place of all code, and steps without values need no GPU.
  if (!module.gpu.empty() && !options_.interpret) {
    try {
      gpu_ = open_gpu(module, wanted.gpu);
      options_.gpu = gpu_.get();
      session_ = std::make_unique<runtime::Session>(cpu_without_gpu_ ? module : std::move(module), device_,
                                                    options_);
    } catch (const runtime::GpuError& e) {
      if (!cpu_without_gpu_) throw;
      use_cpu(std::move(module), e.what());
    }
  } else {
    options_.cpu_for_gpu = true;
    session_ = std::make_unique<runtime::Session>(std::move(module), device_, options_);
  }
  if (observer_) observer_->set_module(session_->module());
}

void Session::use_cpu(runtime::Module module, const std::string& why) {
  no_gpu_ = fmt::format("{}; the CPU runs the GPU's steps (--fallback cpu)", why);
  session_.reset();
  gpu_.reset();
  options_.gpu = nullptr;
  options_.cpu_for_gpu = true;
  session_ = std::make_unique<runtime::Session>(std::move(module), device_, options_);
  if (observer_) observer_->set_module(session_->module());
}

runtime::Result Session::with_cpu_behind(const std::function<runtime::Result()>& run) {
  const auto with_warning = [&](runtime::Result result) {
    if (!no_gpu_.empty()) result.warning += (result.warning.empty() ? "" : "; ") + no_gpu_;
    return result;
  };
  try {
    return with_warning(run());
  } catch (const runtime::GpuError& e) {
    if (!cpu_without_gpu_) throw;
    const std::vector<runtime::Bytes> state = session_->state();
    use_cpu(session_->module(), e.what());
    session_->set_state(state);
  }
  return with_warning(run());
}

runtime::Result Session::run(const std::vector<runtime::Bytes>& inputs) {
  return with_cpu_behind([&] { return session_->run(inputs); });
}

runtime::Result Session::run_model(const std::vector<runtime::Bytes>& inputs) {
  return with_cpu_behind([&] { return session_->run_model(inputs); });
}

Session::~Session() = default;

std::string Session::place() const {
  if (!gpu_) return name_;
  return name_ == "cpu" ? gpu_->name() : name_ + " and " + gpu_->name();
}

void Session::end_timeline() {
  if (observer_) observer_->end_timeline();
}

bool Session::end_waves() {
  auto* rtl = dynamic_cast<sim::RtlEngine*>(own_.engine.get());
  return !rtl || rtl->end_waves();
}

std::optional<std::uint64_t> Session::started_at() const {
  return observer_ ? observer_->started_at() : std::nullopt;
}

std::vector<StepProfile> Session::profiles() const {
  return observer_ ? observer_->profiles() : std::vector<StepProfile>{};
}

}  // namespace vdla::kit
