// SPDX-License-Identifier: Apache-2.0
// The input of commands that run a network once.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "runtime/module/module.h"
#include "tools/common/model_input.h"
#include "tools/common/network_inputs.h"
#include "tools/vdla/common/command.h"

namespace vdla::tools {

/// Adds --input.
CLI::Option* add_input(CLI::App& command, std::vector<std::string>& files);
/// The one sample of --input. UserError for files of several, which `command` does not take.
NetworkSample load_one_input(const std::vector<std::string>& files, const PixelFlags& pixels,
                             const runtime::Module& module, const std::string& command,
                             const Context& context);

struct OneInputFlags {
  std::vector<std::string> files;
  std::uint64_t seed = 1;
  PixelFlags pixels;

  void add_to(CLI::App& command);
  /// Sample of the files, or a random one. UserError for files of several, which `command` does not take.
  NetworkSample sample(const runtime::Module& module, const std::string& command,
                       const Context& context) const;
};

}  // namespace vdla::tools
