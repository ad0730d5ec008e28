// SPDX-License-Identifier: Apache-2.0
// The command line of vdla-run.
#pragma once

#include <string>
#include <vector>

#include "tools/runner/device.h"

namespace vdla::runner {

struct Arguments {
  std::string module;
  std::vector<std::string> inputs, outputs;
  DeviceChoice device;
  std::string trust;
  unsigned threads = 1;
  bool json = false;
  bool describe = false;  ///< the device is described, and nothing is run
  std::string answer;     ///< not empty: what --help or --version asked for, and nothing is run
};

/// A command line that says something else than it may.
struct WrongFlags {
  std::string message;
};

/// Throws WrongFlags.
Arguments parse_arguments(int argc, char** argv);

}  // namespace vdla::runner
