// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/variant_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

#include "boards/generate/generate.h"
#include "boards/spec/board.h"
#include "isa/variants/variants.h"
#include "kit/data.h"
#include "kit/files.h"
#include "support/error.h"
#include "support/nearest.h"

namespace vdla::tools {

isa::Variant named_variant(const std::string& text) {
  constexpr std::string_view kBoard = "board:";
  const std::filesystem::path root = kit::data_root();
  if (text.starts_with(kBoard)) return boards::on_board(boards::load_board(text.substr(kBoard.size()), root));
  if (const auto known = boards::kit_variant(text, root)) return *known;
  std::error_code none;
  if (std::filesystem::exists(text, none) && !std::filesystem::is_directory(text, none))
    return isa::parse_variant(kit::read_text(text), text);  // bounded, also for devices
  const std::vector<std::string> names = boards::kit_variant_names(root);
  throw UserError(
      fmt::format("variant '{}' is neither one of the kit's ({}), board:BOARD, nor a file that can be read{}",
                  text, fmt::join(names, ", "), did_you_mean(text, names)));
}

std::string without_data_names(const std::string& text) {
  const auto builtins = isa::builtin_variants();
  if (std::ranges::find(builtins, text, &isa::BuiltinVariant::name) != builtins.end()) return text;
  const std::filesystem::path root = kit::data_root(), file = root / "hw/variants" / (text + ".json");
  return boards::kit_variant(text, root) ? file.string() : text;
}

}  // namespace vdla::tools
