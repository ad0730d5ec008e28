// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/device.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/loop/interpret.h"
#include "compiler/loop/parse.h"
#include "sim/trace/recorder.h"
#include "sim/trace/statistics.h"
#include "support/error.h"
#include "tools/vdla/engines.h"

namespace vdla::tools {

/// Derives layer costs from the engine's events of one step.
class SimulatedDevice::Observer final : public runtime::DeviceObserver {
 public:
  explicit Observer(sim::Engine& engine) : engine_(engine) {}
  ~Observer() override { engine_.set_trace(nullptr); }

  void before(const runtime::DeviceStep&) override {
    recorder_.clear();
    engine_.set_trace(&recorder_);
  }

  std::vector<runtime::LayerCost> after(const runtime::DeviceStep& step) override {
    engine_.set_trace(nullptr);
    const auto& map = step.program.source_map;
    const auto groups = trace::summarize_groups(
        recorder_.events(), map.layers.size(), [&](std::uint32_t insn) -> std::size_t {
          return insn < map.insns.size() ? map.insns[insn].layer : isa::Source::kNone;
        });
    std::vector<runtime::LayerCost> costs;
    for (const auto& g : groups) costs.push_back({g.cycles, g.read_bytes, g.write_bytes});
    return costs;
  }

 private:
  sim::Engine& engine_;
  trace::Recorder recorder_;
};

namespace {

/// Runs a host kernel's loop program where no machine code fits this CPU.
runtime::HostKernel interpret(const runtime::HostStep& step) {
  const loop::Func func = loop::parse(step.loop_ir);
  std::vector<std::size_t> sizes;
  for (const auto& param : func.params)
    sizes.push_back(
        static_cast<std::size_t>(expr::storage_size(*param.buffer) * expr::bytes(param.buffer->dtype)));
  auto interpreter = std::make_shared<loop::Interpreter>(func);
  return [interpreter, sizes](std::span<void* const> arguments) {
    std::vector<std::span<std::byte>> spans;
    for (std::size_t i = 0; i < sizes.size(); ++i)
      spans.emplace_back(static_cast<std::byte*>(arguments[i]), sizes[i]);
    interpreter->run(spans);
  };
}

}  // namespace

SimulatedDevice::SimulatedDevice(runtime::Module module, const std::string& engine_name, bool costs,
                                 const std::filesystem::path& executable, bool verify) {
  runtime::SessionOptions options;
  options.verify = verify;
  options.interpreter = interpret;
  if (runtime::needs_device(module)) {
    VDLA_CHECK_USER(!engine_name.empty())
        << "model '" << module.model_name << "' needs the device; choose --engine "
        << fmt::format("{}", fmt::join(engine_names(), ", "));
    engine_ = make_engine(engine_name, module.variant, executable);
    transport_ = std::make_unique<driver::SimTransport>(*engine_);
    if (costs && has_time()) {
      observer_ = std::make_unique<Observer>(*engine_);
      options.observer = observer_.get();
    }
  }
  session_ = std::make_unique<runtime::Session>(std::move(module),
                                                transport_ ? transport_->transport() : nullptr, options);
}

SimulatedDevice::~SimulatedDevice() = default;

std::string SimulatedDevice::name() const { return engine_ ? std::string(engine_->name()) : "cpu"; }

bool SimulatedDevice::has_time() const { return engine_ && engine_->name() != "functional"; }

}  // namespace vdla::tools
