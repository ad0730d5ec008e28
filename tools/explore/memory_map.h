// SPDX-License-Identifier: Apache-2.0
// Memory that each layer of a program touches: byte ranges of the DRAM windows, entries of the buffers.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "isa/program/program.h"

namespace vdla::explore {

struct Range {
  std::uint64_t begin = 0, end = 0;  ///< empty when equal
  void include(std::uint64_t from, std::uint64_t to);
};

struct LayerMemory {
  std::array<Range, isa::kWindowCount> read, written;
  std::array<std::uint64_t, isa::kBuffers.size()>
      entries{};  ///< highest index that load, store or vector touch, plus 1
};

/// One row per layer of the source map.
std::vector<LayerMemory> memory_of_layers(const isa::Program& program);

}  // namespace vdla::explore
