// SPDX-License-Identifier: Apache-2.0
// The input of commands that run a network once.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include "runtime/module/module.h"
#include "tools/common/model_input.h"
#include "tools/data/input.h"
#include "tools/vdla/common/command.h"

namespace vdla::tools {

struct OneInputFlags {
  std::string file;
  std::uint64_t seed = 1;
  PixelFlags pixels;

  void add_to(CLI::App& command);
  /// Sample of the file, or a random one. UserError for a file of several, which `command` does not take.
  Sample sample(const runtime::Module& module, const std::string& command, const Context& context) const;
};

}  // namespace vdla::tools
