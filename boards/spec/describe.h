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

/// Cells of 32 bits that an address has in the board's device tree.
unsigned device_tree_cells(const Board& board);
/// A region in them: "0x0 0x60000000 0x0 0x10000000".
std::string device_tree_reg(const Board& board, const Region& region);

/// "1x16x16"
std::string array_text(const isa::Geometry& geometry);

}  // namespace vdla::boards
