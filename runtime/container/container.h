// SPDX-License-Identifier: Apache-2.0
// The .vdla file as a container: named sections behind a table, a SHA-256 over all of it but the signature.
// Contents of the sections are those of runtime/container/sections.h; docs/module-format.md has the bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/container/signature.h"
#include "runtime/module/section.h"

namespace vdla::runtime {

/// Raised when header, table or the meaning of a section change so that older kits must refuse the file. New
/// sections raise nothing.
inline constexpr std::uint32_t kModuleFormatVersion = 2;

inline constexpr std::size_t kHeaderBytes = 48;
inline constexpr std::size_t kTableEntryBytes = 48;
inline constexpr std::size_t kSectionAlignment = 64;
inline constexpr std::size_t kMaxSections = 256;
inline constexpr std::string_view kSignatureSection = "signature";

/// A section where it lies.
struct SectionView {
  std::string name;
  bool required = false;
  std::uint64_t offset = 0;  ///< offset in the file
  std::span<const std::byte> bytes;
};

struct Container {
  std::vector<SectionView> sections;  ///< sections in the file's order, the signature left out
  Digest digest{};
  std::optional<Signature> signature;

  /// Null: there is none of that name.
  const SectionView* find(std::string_view name) const;
};

/// Names are unique; the signature is no section of the list.
Bytes pack(std::span<const Section> sections);

/// The parts of a file, which must outlive them. Throws UserError that starts with `name`: not a module,
/// another format version, truncated, corrupt (the hash does not fit, or the signature not the hash).
Container unpack(std::span<const std::byte> file, const std::string& name);

/// Puts the signature, or none, into the place that the file has for it.
void set_signature(Bytes& file, const std::optional<Signature>& signature);

/// UserError unless the container is signed with this key.
void require_signature(const Container& container, const PublicKey& key, const std::string& name);

}  // namespace vdla::runtime
