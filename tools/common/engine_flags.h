// SPDX-License-Identifier: Apache-2.0
// Engines on the command line.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "kit/engine.h"
#include "runtime/module/module.h"

namespace vdla::tools {

/// Names of the builds of the RTL engine, and what they are for, one a line.
std::vector<std::string> rtl_build_names();
std::string rtl_build_help();
sim::RtlBuild rtl_build(const std::string& name);

/// --engine and what belongs to it.
struct EngineFlags {
  std::string engine = "functional", rtl_build = "fast";

  void add_to(CLI::App& command);
  /// UserError where --rtl-build is chosen and no RTL runs: neither this engine nor `other`.
  kit::EngineOptions options(const std::string& other = "") const;
};

/// UserError for an option of these that was given, as something else than its default, for a module, in
/// `file`, that has nothing on the device.
void require_device_for(const std::vector<const char*>& options, const CLI::App& command,
                        const runtime::Module& module, const std::string& file);

}  // namespace vdla::tools
