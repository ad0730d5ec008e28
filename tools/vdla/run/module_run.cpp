// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/run/module_run.h"

#include <fmt/format.h>

#include "kit/cut_module.h"
#include "runtime/container/module_file.h"
#include "tools/vdla/board/run_program.h"
#include "tools/vdla/common/cpu_level.h"
#include "tools/vdla/common/gpu_report.h"
#include "tools/vdla/common/progress_line.h"
#include "tools/vdla/common/trust.h"

namespace vdla::tools {

std::string ModuleRunFlags::name() const {
  return device.remote.given() ? "board " + device.remote.board : device.name();
}

void ModuleRunFlags::add_to(CLI::App& command, bool appends) {
  device.add_to(command);
  device.add_remote_to(command)->description(kBoardOfRunsHelp);
  gpu.add_to(command);
  adapt.add_to(command, appends);
  command.add_option("--threads", threads, "Threads for layers on the CPU; 0: one for each core")
      ->check(not_negative())
      ->capture_default_str();
  add_interpret(command, interpret);
  add_limits(command, limits);
}

std::optional<tune::KernelUseLog> ModuleRunFlags::set(kit::SessionOptions& options,
                                                      const runtime::Module& module, const Context& context,
                                                      const std::string& other,
                                                      const std::string& no_values) const {
  options.threads = threads;
  options.interpret = interpret;
  options.limits = limits;
  options.engine = device.engine.options(other);
  options.chosen = device.text();
  const std::string elsewhere = device.remote.given() ? "--board" : interpret ? "--interpret" : no_values;
  auto log = adapt.set(options, module, elsewhere, context);
  if (elsewhere.empty()) {
    say_interpreted(module, context);
    say_tuned_threads(module, threads, context);
  }
  gpu.set(options, module, elsewhere);
  return log;
}

void for_engines_only(CLI::Option& option) {
  for (const char* device : {"--board", "--uio", "--xrt"}) option.excludes(device);
}

ModuleRun::ModuleRun(const ModuleRunFlags& flags, Net net, const kit::SessionOptions& options,
                     const Context& context)
    : options_(options) {
  const DeviceFlags& device = flags.device;
  if (device.remote.given()) {
    const auto timeline_code = options.timeline ? static_cast<std::uint32_t>(options.timeline_form) : 0;
    elsewhere_.emplace(device.remote, net.file, net.module_file(), net.module,
                       remote::RunOptions{flags.threads, flags.limits.stall_limit, flags.limits.timeout,
                                          flags.interpret, options.verify, timeline_code});
    return;
  }
  if (device.own()) {
    device_ = device.open_own();
    here_.emplace(std::move(net.module), device_.transport, device_.name, options);
  } else {
    here_.emplace(std::move(net.module), device.engine.engine, options);
  }
  say_tuned_device(here_->module(), *here_, context);
}

runtime::Result ModuleRun::run_model(const std::vector<runtime::Bytes>& inputs) {
  return here_ ? here_->run_model(inputs) : elsewhere_->run_model(inputs);
}

void ModuleRun::reset_state() {
  if (here_) here_->reset_state();
}

void ModuleRun::change_module(const runtime::Module& module) {
  if (elsewhere_) return elsewhere_->change_module(runtime::serialize(module), module);
  here_.reset();  // one session at a time has the device
  here_.emplace(module, device_.transport, device_.name, options_);
}

void ModuleRun::describe(nlohmann::ordered_json& report) const {
  if (elsewhere_) report["board"] = elsewhere_->board();
  if (here_ && !here_->kernel_use().empty()) report["kernel_use"] = kernel_use_json(here_->module(), *here_);
}

void read_board(ModuleRun& run, const runtime::Module& module, const std::vector<runtime::Bytes>& inputs,
                kit::RunProbe& probe) {
  const StatusLine line;
  std::size_t runs = 0;
  const auto run_cut = [&](const runtime::Module& cut, const std::vector<runtime::Bytes>& from) {
    if (line.on_terminal()) line.print(fmt::format("reading values of the device: run {}", ++runs));
    run.change_module(cut);
    return run.run_model(from).outputs;
  };
  kit::read_by_cuts(module, inputs, run_cut, probe);
  line.clear();
}

void run_probed(const ModuleRunFlags& flags, const Net& net, kit::SessionOptions options,
                const std::vector<runtime::Bytes>& inputs, kit::RunProbe& probe, const Context& context) {
  if (!flags.on_board()) options.probe = &probe;
  ModuleRun run(flags, net, options, context);
  if (flags.on_board())
    read_board(run, net.module, inputs, probe);
  else
    run.run_model(inputs);
}

}  // namespace vdla::tools
