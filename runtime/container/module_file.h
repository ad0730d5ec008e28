// SPDX-License-Identifier: Apache-2.0
// The .vdla file: modules to and from the sections (runtime/container/sections.h) of a container
// (runtime/container/container.h).
//
// A module carries machine code: running one that was loaded runs its code. Load what you trust, or say whom
// you trust.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "runtime/container/signature.h"
#include "runtime/module/module.h"

namespace vdla::runtime {

Bytes serialize(const Module& module);

struct LoadOptions {
  /// Refuses what is not signed with this key, before it looks at any section.
  std::optional<PublicKey> trusted;
};

/// Throws UserError that starts with `name` and says what is wrong: not a module, other version, truncated,
/// corrupt, not signed as asked, other ISA.
Module parse(std::span<const std::byte> bytes, const std::string& name, const LoadOptions& options = {});

/// Writes a neighbouring temporary file and renames it: whatever happens, `path` holds the old file or the
/// whole new one.
void save(const Module& module, const std::filesystem::path& path);

Module load(const std::filesystem::path& path, const LoadOptions& options = {});

/// The file as it is, for unpack().
Bytes read_module_file(const std::filesystem::path& path);
/// Writes one as save() does.
void write_module_file(const Bytes& file, const std::filesystem::path& path);

}  // namespace vdla::runtime
