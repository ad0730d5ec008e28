// SPDX-License-Identifier: Apache-2.0
// Sections of a .vdla file: one row for each that this kit knows. A new section is a member of Module, a row
// in sections.cpp, and a line in docs/module-format.md; the container knows its names only.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runtime/container/container.h"
#include "runtime/module/module.h"

namespace vdla::runtime {

struct SectionKind {
  std::string_view name;
  /// A module without it computes something else: kits that do not know it refuse the file.
  bool required;
  std::string_view what;  ///< for people
  /// The section's bytes; nothing: the module needs no such section.
  std::optional<Bytes> (*encode)(const Module& module);
  /// Fills in the module's part; `bytes` are aligned to 16. Throws UserError starting with the file's `name`.
  void (*decode)(std::span<const std::byte> bytes, const std::string& name, Module& module);
};

/// Null: this kit does not know the section.
const SectionKind* find_section_kind(std::string_view name);

/// The module's sections, those that it only keeps at the end.
std::vector<Section> to_sections(const Module& module);
/// UserError starting with `name` for a part that is damaged, missing, or required and unknown, and for a
/// module that check() refuses.
Module from_sections(const Container& container, const std::string& name);

}  // namespace vdla::runtime
