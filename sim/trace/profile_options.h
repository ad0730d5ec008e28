// SPDX-License-Identifier: Apache-2.0
// Facts that an account of a run needs beside its events: layers of instructions, places of windows, the bus.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace vdla::trace {

struct WindowExtent {
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
};

struct ProfileOptions {
  std::size_t layers = 0;
  /// Layer of an instruction; a value >= layers: none.
  std::function<std::size_t(std::uint32_t insn)> layer_of;
  std::array<WindowExtent, isa::kWindowCount> windows{};
  std::size_t bins = 240;
  unsigned bus_bytes_per_cycle = 8;  ///< width of the DRAM bus
};

}  // namespace vdla::trace
