// SPDX-License-Identifier: Apache-2.0
// The .vdla file: a header (magic, format version, size and checksum of the payload) and a FlatBuffers
// payload (runtime/module.fbs).
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "runtime/module.h"

namespace vdla::runtime {

/// Raised with every change of the file's layout or meaning.
inline constexpr std::uint32_t kModuleFormatVersion = 1;

Bytes serialize(const Module& module);

/// Throws UserError that starts with `name` and says what is wrong: not a module, other version, truncated,
/// corrupt, other ISA.
Module parse(std::span<const std::byte> bytes, const std::string& name);

/// Writes a neighbouring temporary file and renames it: whatever happens, `path` holds the old file or the
/// whole new one.
void save(const Module& module, const std::filesystem::path& path);

Module load(const std::filesystem::path& path);

}  // namespace vdla::runtime
