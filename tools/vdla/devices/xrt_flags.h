// SPDX-License-Identifier: Apache-2.0
// A card of the machine that the command runs on: --xrt.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include "kit/xrt_device.h"
#include "support/shell_word.h"

namespace vdla::tools {

struct XrtFlags {
  std::string xrt;

  /// --xrt, which excludes the command's --engine and --uio.
  CLI::Option* add_to(CLI::App& command);
  bool given() const { return !xrt.empty(); }
  /// As the command line has it.
  std::string text() const { return "--xrt " + shell_word(xrt); }
  /// UserError for what is not DEVICE:XCLBIN.
  kit::XrtOptions options(bool no_reset = false) const;
};

}  // namespace vdla::tools
