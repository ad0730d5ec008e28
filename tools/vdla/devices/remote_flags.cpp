// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/devices/remote_flags.h"

#include "tools/common/validators.h"
#include "tools/vdla/common/command.h"

namespace vdla::tools {

CLI::Option* RemoteFlags::add_to(CLI::App& command) {
  CLI::Option* option =
      command
          .add_option("--board", board, "Remote board in place of an engine: HOST[:PORT] of vdla board serve")
          ->check(not_empty("HOST[:PORT], as board.lab"))
          ->excludes("--engine");
  for (const char* other : {"--uio", "--xrt"})
    if (command.get_option_no_throw(other) != nullptr) option->excludes(other);
  add_connection(command, option);
  return option;
}

void RemoteFlags::add_connection(CLI::App& command, CLI::Option* needed) {
  const auto belongs = [&](CLI::Option* option) {
    if (!needed->get_positional()) option->needs(needed);
    return option;
  };
  belongs(command.add_option("--certificates", certificates,
                             "Folder with ca.pem, client.pem and client.key (made by vdla board "
                             "certificates); required for a board that is not this machine"));
  belongs(
      command.add_option("--lease", lease,
                         "Longest use of the board in seconds; it is released as soon as the command ends"))
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  belongs(command.add_option("--time-limit", time_limit,
                             "Time limit of one run on the board in seconds; default: that of --lease"))
      ->check(positive_number());
}

}  // namespace vdla::tools
