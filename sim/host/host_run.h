// SPDX-License-Identifier: Apache-2.0
// Requests and results that runs of a program on all simulated hosts have in common.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "boards/spec/board.h"
#include "sim/host/attached_engine.h"
#include "sim/memory.h"

namespace vdla::sim {

struct HostOptions {
  std::chrono::milliseconds time_limit{60'000};
  /// Without it the line stays low, as on a board where it is not wired.
  bool wire_interrupt = true;
  /// Gets what the program prints, as it comes.
  std::function<void(std::string_view)> print;
};

struct HostOutcome {
  int status = 0;  ///< the program's exit status
  AttachedCounts counts;
  std::string stuck;    ///< the engine's last deadlock, as describe() says it; mostly empty
  std::string console;  ///< output of a guest's kernel, or errors of a program over XRT; mostly empty
};

/// Makes the engine over the board's memory.
using EngineOverMemory = std::function<std::unique_ptr<Engine>(std::vector<MemorySegment>)>;

/// The Debian package that has a program of QEMU.
std::string qemu_package(const std::string& system);

}  // namespace vdla::sim
