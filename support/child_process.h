// SPDX-License-Identifier: Apache-2.0
// Processes that end when the one that started them does, however that ends.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "support/interrupt.h"

namespace vdla {

/// First of all in a child after fork(): the child dies with the thread that made it, and signals that the
/// parent handles end it. `held` is what the parent held round fork().
void begin_child(Uninterrupted& held, pid_t parent);

struct CommandOutcome {
  int status = 0;     ///< exit status; 128 and the signal's number when one ended it
  bool late = false;  ///< it was killed when its time was over
  std::string tail;   ///< the end of what it printed
};

/// Runs a program (found by PATH) with arguments and with additions to the environment (NAME=VALUE), and
/// waits for it. An interrupt kills it with everything that it has started. When this process is killed, the
/// program gets SIGTERM and is to end what it has started, in its process group. After `limit_seconds`,
/// unless that is 0, it is killed with everything that it has started.
CommandOutcome run_command(const std::vector<std::string>& command,
                           const std::vector<std::string>& environment, double limit_seconds = 0);

}  // namespace vdla
