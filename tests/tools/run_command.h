// SPDX-License-Identifier: Apache-2.0
// Runs the command vdla as a user does.
#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <string>

namespace vdla::testing {

struct CommandResult {
  int status = -1;
  std::string output;  ///< stdout and stderr
};

/// `arguments` are words of the shell.
inline CommandResult run_program(const std::string& program, const std::string& arguments) {
  const std::string command = "'" + program + "' " + arguments + " 2>&1";
  CommandResult result;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return result;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) result.output += static_cast<char>(c);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) result.status = WEXITSTATUS(status);
  return result;
}

inline CommandResult run_command(const std::string& arguments) {
  return run_program(VDLA_BINARY_DIR "/bin/vdla", arguments);
}

}  // namespace vdla::testing
