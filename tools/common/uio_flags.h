// SPDX-License-Identifier: Apache-2.0
// The device of the machine that a program runs on: --uio and what belongs to it. Static programs have it
// too.
#pragma once

#include <CLI/CLI.hpp>

#include "kit/uio_device.h"

namespace vdla::tools {

struct UioFlags {
  kit::UioOptions options{.device = "", .udmabuf = "", .root = ""};

  /// --uio, which excludes the command's --engine, if there is one already.
  CLI::Option* add_to(CLI::App& command);
  bool given() const { return !options.device.empty(); }
  /// Returns the options as the command line has them.
  std::string text() const;
};

}  // namespace vdla::tools
