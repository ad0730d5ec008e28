// SPDX-License-Identifier: Apache-2.0
// A module on what the flags of vdla run and eval choose: an engine, a device of this machine, one of a board
// elsewhere, a GPU.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <optional>
#include <string>

#include "kit/session.h"
#include "tools/tune/kernel_use.h"
#include "tools/vdla/common/command.h"
#include "tools/vdla/devices/device_flags.h"
#include "tools/vdla/devices/gpu_flags.h"
#include "tools/vdla/devices/remote_session.h"
#include "tools/vdla/run/adapt_flags.h"
#include "tools/vdla/run/net_flags.h"

namespace vdla::tools {

struct ModuleRunFlags {
  DeviceFlags device;
  GpuFlags gpu;
  AdaptFlags adapt;
  unsigned threads = 1;
  bool interpret = false;
  kit::RunLimits limits;

  /// Whether the device is no engine of this process.
  bool on_board() const { return device.own() || device.remote.given(); }
  /// Name of the engine, device or board for people.
  std::string name() const;
  /// `appends`: as AdaptFlags says.
  void add_to(CLI::App& command, bool appends);
  /// Sets what the flags say, for a module; returns the log of kernels where there is one. `other`: a second
  /// engine of the command; `no_values`: an option with which nothing is computed, or "".
  std::optional<tune::KernelUseLog> set(kit::SessionOptions& options, const runtime::Module& module,
                                        const Context& context, const std::string& other = "",
                                        const std::string& no_values = "") const;
};

/// Excludes the devices that are no engine of this process.
void for_engines_only(CLI::Option& option);

class ModuleRun {
 public:
  /// Takes what the flags choose; `options` come from set().
  ModuleRun(const ModuleRunFlags& flags, Net net, const kit::SessionOptions& options, const Context& context);

  /// Values that the network keeps go on from the run before; a board elsewhere begins each run as the first.
  runtime::Result run_model(const std::vector<runtime::Bytes>& inputs);
  /// The next run is as the first one.
  void reset_state();
  /// Later runs are of another module, on the same device, which is no engine.
  void change_module(const runtime::Module& module);
  /// Session of this machine, or of the board elsewhere: one of them is there.
  kit::Session* here() { return here_ ? &*here_ : nullptr; }
  RemoteSession* elsewhere() { return elsewhere_ ? &*elsewhere_ : nullptr; }

  const std::string& name() const { return here_ ? here_->name() : elsewhere_->name(); }
  /// Device and GPU, for people.
  std::string place() const { return here_ ? here_->place() : elsewhere_->name(); }
  bool has_time() const { return here_ ? here_->has_time() : elsewhere_->has_time(); }
  /// Adds the kernels that layers use, or the board.
  void describe(nlohmann::ordered_json& report) const;

 private:
  kit::SessionOptions options_;
  kit::OpenDevice device_;  ///< one of this machine; it outlives the session
  std::optional<kit::Session> here_;
  std::optional<RemoteSession> elsewhere_;
};

/// Gives all values of a run that a board can show to a probe: it runs modules that end earlier
/// (kit/cut_module.h), and has another module than before then.
void read_board(ModuleRun& run, const runtime::Module& module, const std::vector<runtime::Bytes>& inputs,
                kit::RunProbe& probe);

/// Runs the net once, and gives all values that can be had of the run to a probe: on an engine by what it
/// tells. `options` come from set().
void run_probed(const ModuleRunFlags& flags, const Net& net, kit::SessionOptions options,
                const std::vector<runtime::Bytes>& inputs, kit::RunProbe& probe, const Context& context);

}  // namespace vdla::tools
