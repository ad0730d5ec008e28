// SPDX-License-Identifier: Apache-2.0
// The device of the machine that the command runs on: --uio and what belongs to it.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include "kit/uio_device.h"
#include "support/shell_word.h"

namespace vdla::tools {

struct UioFlags {
  std::string uio, udmabuf;

  /// --uio, which excludes the command's --engine.
  CLI::Option* add_to(CLI::App& command);
  bool given() const { return !uio.empty(); }
  /// As the command line has them.
  std::string text() const {
    return "--uio " + shell_word(uio) + (udmabuf.empty() ? "" : " --udmabuf " + shell_word(udmabuf));
  }
  kit::UioOptions options(kit::UioUse use = kit::UioUse::Run) const {
    return {.device = uio, .udmabuf = udmabuf, .root = {}, .use = use};
  }
};

}  // namespace vdla::tools
