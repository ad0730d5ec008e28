// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/devices/remote_flags.h"

#include "tools/common/validators.h"
#include "tools/vdla/common/command.h"

namespace vdla::tools {

CLI::Option* RemoteFlags::add_to(CLI::App& command) {
  CLI::Option* option =
      command
          .add_option("--board", board,
                      "HOST[:PORT] of a vdla board serve, whose device takes the place of an engine")
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
  belongs(command.add_option(
      "--certificates", certificates,
      "Folder with ca.pem, client.pem and client.key (vdla board certificates makes them); "
      "needed unless the board is this machine"));
  belongs(command.add_option("--lease", lease,
                             "Seconds for which the board is asked for; it is given back sooner"))
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  belongs(command.add_option("--time-limit", time_limit,
                             "Seconds that one run on the board may take; default: as long as the lease"))
      ->check(positive_number());
}

}  // namespace vdla::tools
