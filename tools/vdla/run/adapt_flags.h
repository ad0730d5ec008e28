// SPDX-License-Identifier: Apache-2.0
// --no-adapt and --use-log of the commands that run modules.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <optional>
#include <string>

#include "kit/session.h"
#include "tools/tune/kernel_use.h"
#include "tools/vdla/common/command.h"

namespace vdla::tools {

class AdaptFlags {
 public:
  /// `appends`: the command runs often enough for layers to choose; another one reads a log that is there.
  void add_to(CLI::App& command, bool appends);
  /// Sets what the flags say, for a module; returns the log where there is one. UserError where layers have
  /// one kernel each, or where machine code does not run here: `elsewhere` says why ("--board"), empty: it
  /// does. A log that is of no use here is said.
  std::optional<tune::KernelUseLog> set(kit::SessionOptions& options, const runtime::Module& module,
                                        const std::string& elsewhere, const Context& context) const;

 private:
  bool none_ = false, appends_ = true;
  std::string path_;
};

/// Says where knobs of the module were tuned for other threads than `threads` (as of --threads).
void say_tuned_threads(const runtime::Module& module, unsigned threads, const Context& context);

/// [{"step", "layer", "chosen" or null, "kernels": [{"kernel", "knobs", "runs", "median_us" or null,
/// "dropped"}]}], the layer's own kernel first.
nlohmann::ordered_json kernel_use_json(const runtime::Module& module, const kit::Session& session);
/// `appends`: as above.
void print_kernel_use(const nlohmann::ordered_json& use, bool appends);

}  // namespace vdla::tools
