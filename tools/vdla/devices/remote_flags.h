// SPDX-License-Identifier: Apache-2.0
// The board elsewhere that a command uses: --board HOST and what belongs to it.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>

#include "support/shell_word.h"

namespace vdla::tools {

/// Help of --board where a command runs modules, and takes a list of boards, too.
inline constexpr const char* kBoardOfRunsHelp =
    "Remote board in place of an engine: HOST[:PORT] of vdla board serve, or a list of boards (.json, as for "
    "vdla board hosts), of which the first free one with the module's geometry is taken";

struct RemoteFlags {
  std::string board, certificates;
  std::uint32_t lease = 600;
  double time_limit = 0;

  /// Adds --board to a command that runs modules; it excludes --engine and, where the command has that,
  /// --uio.
  CLI::Option* add_to(CLI::App& command);
  /// Adds what belongs to `board`, a required word of the command or an option of it.
  void add_connection(CLI::App& command, CLI::Option* board);
  bool given() const { return !board.empty(); }
  /// Returns the options as the command line has them, lease and limit left out.
  std::string text() const {
    return "--board " + board + (certificates.empty() ? "" : " --certificates " + shell_word(certificates));
  }
};

}  // namespace vdla::tools
