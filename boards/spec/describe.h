// SPDX-License-Identifier: Apache-2.0
// A board's facts in words, for the terminal and for its page.
#pragma once

#include <string>
#include <vector>

#include "boards/spec/board.h"

namespace vdla::boards {

struct Fact {
  std::string name, text;  ///< "memory", "0x10000000 to 0x13ffffff (64 MiB) through S_AXI_HP0"
};

/// The facts that the board has, in the order in which one asks for them.
std::vector<Fact> describe(const Board& board);

/// "1x16x16"
std::string array_text(const isa::Geometry& geometry);

}  // namespace vdla::boards
