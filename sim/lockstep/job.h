// SPDX-License-Identifier: Apache-2.0
// A program with what its windows hold at first, and how it gets into an engine: as a driver would, by
// registers and DMA memory alone.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "isa/program/program.h"
#include "isa/semantics/state.h"
#include "sim/contract.h"

namespace vdla::sim {

struct Job {
  isa::Program program;
  std::array<std::vector<std::byte>, isa::kWindowCount>
      contents;  ///< act, input, output, spares, may be short; insn: words instead of the program's
  /// Memory ends inside this window, at this byte: the device meets a bus error from there on.
  std::optional<std::pair<isa::Window, std::uint64_t>> cut;
  std::optional<std::uint32_t> insn_count;  ///< count that the device is told of, if not all
  /// The first byte of each window that has memory behind it; what lies before is never touched.
  std::array<std::uint64_t, isa::kWindowCount> origins{};
  unsigned skew = 0;  ///< windows other than insn and uop begin this many bytes (times their number) behind a
                      ///< 4 KiB boundary
};

/// Places the windows; a base is modulo 2^64. Throws UserError when the engine's memory is too small.
isa::Windows place_windows(const Engine& engine, const Job& job);

/// Range of a window's memory, from its origin to its end, as an address and bytes.
isa::WindowRange held_range(const Job& job, const isa::Windows& windows, unsigned window);

/// Writes windows and registers and starts the device, interrupts enabled.
void start_job(Engine& engine, const Job& job, const isa::Windows& windows);

}  // namespace vdla::sim
