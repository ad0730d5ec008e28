// SPDX-License-Identifier: Apache-2.0
// Names that --variant of the commands takes, and the bases of a sweep.
#pragma once

#include <filesystem>
#include <string>

#include "boards/spec/board.h"

namespace vdla::boards {

/// The variant as the board's memory sees it: bursts are no longer than its port takes.
isa::Variant on_board(const Board& board);

/// One of the kit's variants (isa/variants) by name; board:BOARD, that of a board
/// as its memory sees it, where BOARD is a name or the path of a board.json; or a file. A name comes before a
/// file of that name. `root` is the folder of the kit's data. Throws UserError: an unknown name lists the
/// known ones, a bad file names file, key, value seen and value needed.
isa::Variant named_variant(const std::string& text, const std::filesystem::path& root);

}  // namespace vdla::boards
