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

  runtime::Result run_model(const std::vector<runtime::Bytes>& inputs);
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
  kit::OpenDevice device_;  ///< one of this machine; it outlives the session
  std::optional<kit::Session> here_;
  std::optional<RemoteSession> elsewhere_;
};

}  // namespace vdla::tools
