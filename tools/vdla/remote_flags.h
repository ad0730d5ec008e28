// SPDX-License-Identifier: Apache-2.0
// The board elsewhere that a command uses: --board HOST and what belongs to it.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>

#include "support/shell_word.h"

namespace vdla::tools {

struct RemoteFlags {
  std::string board, certificates;
  std::uint32_t lease = 600;
  double time_limit = 0;

  /// Of a command that runs modules: --board, which excludes its --engine and, where it has that, --uio.
  CLI::Option* add_to(CLI::App& command);
  /// What belongs to `board`, a required word of the command or an option of it.
  void add_connection(CLI::App& command, CLI::Option* board);
  bool given() const { return !board.empty(); }
  /// As the command line has them, lease and limit left out.
  std::string text() const {
    return "--board " + board + (certificates.empty() ? "" : " --certificates " + shell_word(certificates));
  }
};

}  // namespace vdla::tools
