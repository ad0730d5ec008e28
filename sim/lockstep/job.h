// SPDX-License-Identifier: Apache-2.0
// A program with what its windows hold at first, and how it gets into an engine: as a driver would, by
// registers and DMA memory alone.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "isa/program/program.h"
#include "isa/semantics/state.h"
#include "sim/contract.h"

namespace vdla::sim {

struct Job {
  isa::Program program;
  std::array<std::vector<std::byte>, isa::kWindowCount>
      contents;       ///< act, input, output, spares; may be short
  unsigned skew = 0;  ///< windows other than insn and uop begin this many bytes (times their number) behind a
                      ///< 4 KiB boundary
};

/// Where the windows lie. Throws UserError when the engine's memory is too small.
isa::Windows place_windows(const Engine& engine, const Job& job);

/// Writes windows and registers and starts the device, interrupts enabled.
void start_job(Engine& engine, const Job& job, const isa::Windows& windows);

}  // namespace vdla::sim
