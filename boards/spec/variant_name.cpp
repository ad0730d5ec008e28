// SPDX-License-Identifier: Apache-2.0
#include "boards/spec/variant_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "isa/variants/variants.h"
#include "support/error.h"
#include "support/input_file.h"
#include "support/nearest.h"

namespace vdla::boards {

isa::Variant on_board(const Board& board) {
  // 16 beats of 64 bits.
  constexpr unsigned kLongestOfAxi3 = 128;
  isa::Variant variant = board.variant;
  if (board.axi3() && !board.simulated())
    variant.timing.dram_burst_bytes = std::min(variant.timing.dram_burst_bytes, kLongestOfAxi3);
  return variant;
}

isa::Variant named_variant(const std::string& text, const std::filesystem::path& root) {
  constexpr std::string_view kBoard = "board:";
  if (text.starts_with(kBoard)) return on_board(load_board(text.substr(kBoard.size()), root));
  if (const auto known = kit_variant(text, root)) return *known;
  std::error_code none;
  if (std::filesystem::exists(text, none) && !std::filesystem::is_directory(text, none)) {
    const auto bytes = read_input(text);  // bounded, also for devices
    return isa::parse_variant({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, text);
  }
  const std::vector<std::string> names = kit_variant_names(root);
  throw UserError(
      fmt::format("variant '{}' is neither one of the kit's ({}), board:BOARD, nor a file that can be read{}",
                  text, fmt::join(names, ", "), did_you_mean(text, names)));
}

}  // namespace vdla::boards
