// SPDX-License-Identifier: Apache-2.0
// An assembler program on an engine, a device of this machine, or that of a board elsewhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kit/session.h"
#include "tools/vdla/common/command.h"
#include "tools/vdla/devices/device_flags.h"

namespace vdla::tools {

struct ProgramFlags {
  std::string variant;               ///< name or file, which the command takes
  std::vector<std::string> windows;  ///< "NAME=FILE" (contents) or "NAME=BYTES" (zeroes)
  std::vector<std::string> dumps;    ///< "NAME=FILE", written after the run

  /// Adds --window and --dump.
  void add_to(CLI::App& command);
};

void add_limits(CLI::App& command, kit::RunLimits& limits);

/// Whether a path names assembler text.
bool is_assembler(const std::string& path);

/// Runs the program and reports counters; a run that fails throws runtime::DeviceError with a post-mortem
/// that names lines of the source.
void run_program(const std::string& path, const DeviceFlags& wanted, const ProgramFlags& flags,
                 const kit::RunLimits& limits, const Context& context);

}  // namespace vdla::tools
