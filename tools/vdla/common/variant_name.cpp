// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/common/variant_name.h"

#include <algorithm>
#include <filesystem>

#include "boards/spec/board.h"
#include "boards/spec/variant_name.h"
#include "isa/variants/variants.h"
#include "kit/data.h"

namespace vdla::tools {

isa::Variant named_variant(const std::string& text) { return boards::named_variant(text, kit::data_root()); }

std::string without_data_names(const std::string& text) {
  const auto builtins = isa::builtin_variants();
  if (std::ranges::find(builtins, text, &isa::BuiltinVariant::name) != builtins.end()) return text;
  const std::filesystem::path root = kit::data_root();
  return boards::kit_variant(text, root) ? boards::variant_file(text, root).string() : text;
}

}  // namespace vdla::tools
