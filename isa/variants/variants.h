// SPDX-License-Identifier: Apache-2.0
// Variants as JSON text: the ones of the kit by name, any other from a file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "isa/spec/geometry.h"

namespace vdla::isa {

struct BuiltinVariant {
  std::string_view name;
  std::string_view text;
};

/// The variants of the kit, embedded when it was built, by name.
std::span<const BuiltinVariant> builtin_variants();

/// The variant of the kit that has this geometry (isa::geometry_hash); nothing where none has.
std::optional<Variant> builtin_with(std::uint64_t geometry_hash);

/// A variant from its name ("paper") or from the path of a JSON file. Throws UserError: an unknown name lists
/// the known ones, a bad file names file, key, value seen and value needed.
Variant load_variant(const std::string& name_or_path);

/// `origin` names the text in messages, which have line and column if a person wrote it. A geometry or timing
/// key that is left out keeps the value of `paper`; an unknown key is an error.
Variant parse_variant(std::string_view text, std::string_view origin, bool written_by_a_person = true);

/// How a variant is shown: its name, or "paper* (1f2e3d4c)" where the kit's variant of that name has other
/// contents; behind the star a hash of these.
std::string label(const Variant& variant);

/// The text that parse_variant() reads, every key written.
std::string to_json(const Variant& variant);

/// Throws UserError when the file cannot be written.
void save_variant(const Variant& variant, const std::filesystem::path& path);

}  // namespace vdla::isa
