// SPDX-License-Identifier: Apache-2.0
// What runs of a program on a simulated host have in common: what they are asked for, and what they give.
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
  /// Without it the line stays low, as on a board where nobody has wired it.
  bool wire_interrupt = true;
  /// Gets what the program prints, as it comes.
  std::function<void(std::string_view)> print;
};

struct HostOutcome {
  int status = 0;  ///< the program's exit status
  AttachedCounts counts;
  std::string stuck;    ///< the engine's last deadlock, as describe() says it; mostly empty
  std::string console;  ///< what a guest's kernel, or a program over XRT as its errors, said; mostly empty
};

/// Makes the engine over the board's memory.
using EngineOverMemory = std::function<std::unique_ptr<Engine>(std::vector<MemorySegment>)>;

/// The Debian package that has a program of QEMU.
std::string qemu_package(const std::string& system);

}  // namespace vdla::sim
