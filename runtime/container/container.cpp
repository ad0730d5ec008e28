// SPDX-License-Identifier: Apache-2.0
#include "runtime/container/container.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>

#include "support/error.h"
#include "support/file_kind.h"

namespace vdla::runtime {
namespace {

constexpr std::string_view kMagic = "VDLA-MOD";
constexpr std::size_t kDigestAt = 16;
constexpr std::uint32_t kRequired = 1;
constexpr std::uint32_t kEd25519 = 1;
/// Algorithm, reserved, key, value.
constexpr std::size_t kSignatureBytes = 4 + 4 + sizeof(Signature::key) + sizeof(Signature::value);

std::uint64_t get(std::span<const std::byte> bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes[at + i]);
  return value;
}

void put(Bytes& bytes, std::size_t at, std::uint64_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) bytes[at + i] = static_cast<std::byte>(value >> 8 * i);
}

constexpr std::uint64_t aligned_offset(std::uint64_t offset) {
  return (offset + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment;
}

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxSectionName && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

/// One row of the table.
struct Entry {
  std::string name;
  std::uint64_t flags = 0, reserved = 0, offset = 0, size = 0;
};

void put(Bytes& file, std::size_t at, const Entry& e) {
  std::memcpy(file.data() + at, e.name.data(), e.name.size());
  put(file, at + 24, e.flags, 4);
  put(file, at + 28, e.reserved, 4);
  put(file, at + 32, e.offset, 8);
  put(file, at + 40, e.size, 8);
}

/// The name is empty unless it is one, with zeros behind it.
Entry get(std::span<const std::byte> file, std::size_t at) {
  const auto* text = reinterpret_cast<const char*>(file.data() + at);
  std::string name(text, kMaxSectionName);
  name.erase(std::min(name.find('\0'), name.size()));
  const bool clean = is_name(name) && std::all_of(text + name.size(), text + kMaxSectionName,
                                                  [](char c) { return c == '\0'; });
  return {clean ? name : "", get(file, at + 24, 4), get(file, at + 28, 4), get(file, at + 32, 8),
          get(file, at + 40, 8)};
}

/// All but the digest itself and what `signature_at` begins.
Digest digest_of(std::span<const std::byte> file, std::uint64_t signature_at) {
  return Hash()
      .add(file.first(kDigestAt))
      .add(file.subspan(kDigestAt + sizeof(Digest),
                        static_cast<std::size_t>(signature_at) - kDigestAt - sizeof(Digest)))
      .finish();
}

[[noreturn]] void corrupt(const std::string& name, const std::string& why) {
  throw UserError("'" + name + "' is corrupt: " + why + "; copy or compile it again");
}

/// The table, in the one layout that pack() makes; else the file is truncated or corrupt.
std::vector<Entry> read_table(std::span<const std::byte> file, const std::string& name) {
  if (file.size() < kMagic.size() || std::memcmp(file.data(), kMagic.data(), kMagic.size()) != 0) {
    std::string fault = wrong_kind(file_kind(file), "a compiled module");
    if (fault.find(';') == std::string::npos) fault += "; make one with 'vdla compile'";
    throw UserError("'" + name + "' " + fault);
  }
  VDLA_CHECK_USER(file.size() >= kHeaderBytes) << "'" << name << "' is truncated: " << file.size()
                                               << " bytes, the header alone needs " << kHeaderBytes;
  const std::uint64_t version = get(file, 8, 4), count = get(file, 12, 4);
  VDLA_CHECK_USER(version == kModuleFormatVersion)
      << "'" << name << "' has module format version " << version << ", this kit reads version "
      << kModuleFormatVersion << "; compile the model again";
  if (count == 0 || count > kMaxSections)
    corrupt(name, "its table claims " + std::to_string(count) + " sections");
  std::uint64_t end = kHeaderBytes + count * kTableEntryBytes;
  VDLA_CHECK_USER(file.size() >= end)
      << "'" << name << "' is truncated: " << file.size() << " bytes, header and table alone need " << end;
  std::vector<Entry> table;
  std::set<std::string> names;
  for (std::size_t i = 0; i < count; ++i) {
    const Entry e = get(file, kHeaderBytes + i * kTableEntryBytes);
    if (e.name.empty()) corrupt(name, "section " + std::to_string(i) + " has no proper name");
    if (!names.insert(e.name).second) corrupt(name, "it has two sections '" + e.name + "'");
    if ((e.flags & ~std::uint64_t{kRequired}) != 0 || e.reserved != 0 || e.offset != aligned_offset(end) ||
        e.size > UINT64_MAX / 2)
      corrupt(name, "the table's entry of section '" + e.name + "' makes no sense");
    end = e.offset + e.size;
    table.push_back(e);
  }
  VDLA_CHECK_USER(file.size() >= end)
      << "'" << name << "' is truncated: " << file.size() << " bytes of its " << end << " are there";
  if (file.size() > end) corrupt(name, std::to_string(file.size() - end) + " bytes stand behind its end");
  if (table.back().name != kSignatureSection || table.back().size != kSignatureBytes ||
      table.back().flags != 0)
    corrupt(name, "its last section is not the place of a signature");
  return table;
}

/// None where all is zero.
std::optional<Signature> read_signature(std::span<const std::byte> bytes, const Digest& digest,
                                        const std::string& name) {
  if (std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; })) return std::nullopt;
  Signature signature;
  std::ranges::copy(bytes.subspan(8, signature.key.size()), signature.key.begin());
  std::ranges::copy(bytes.subspan(8 + signature.key.size()), signature.value.begin());
  if (get(bytes, 0, 4) != kEd25519 || get(bytes, 4, 4) != 0 || !fits(signature, digest))
    corrupt(name, "its signature does not fit its contents");
  return signature;
}

}  // namespace

const SectionView* Container::find(std::string_view name) const {
  const auto found = std::ranges::find(sections, name, &SectionView::name);
  return found == sections.end() ? nullptr : &*found;
}

Bytes pack(std::span<const Section> sections) {
  std::vector<Entry> table;
  std::uint64_t end = kHeaderBytes + (sections.size() + 1) * kTableEntryBytes;
  const auto add = [&](const std::string& name, bool required, std::size_t size) {
    table.push_back({name, required ? kRequired : 0, 0, aligned_offset(end), size});
    end = table.back().offset + size;
  };
  std::set<std::string> names{std::string(kSignatureSection)};
  VDLA_CHECK(sections.size() < kMaxSections) << sections.size() << " sections";
  for (const Section& s : sections) {
    VDLA_CHECK(is_name(s.name) && names.insert(s.name).second)
        << "a section cannot be named '" << s.name << "' here";
    add(s.name, s.required, s.bytes.size());
  }
  add(std::string(kSignatureSection), false, kSignatureBytes);

  Bytes file(static_cast<std::size_t>(end));
  std::memcpy(file.data(), kMagic.data(), kMagic.size());
  put(file, 8, kModuleFormatVersion, 4);
  put(file, 12, table.size(), 4);
  for (std::size_t i = 0; i < table.size(); ++i) put(file, kHeaderBytes + i * kTableEntryBytes, table[i]);
  for (std::size_t i = 0; i < sections.size(); ++i)
    std::ranges::copy(sections[i].bytes, file.begin() + static_cast<std::ptrdiff_t>(table[i].offset));
  std::ranges::copy(digest_of(file, table.back().offset), file.begin() + kDigestAt);
  return file;
}

Container unpack(std::span<const std::byte> file, const std::string& name) {
  const std::vector<Entry> table = read_table(file, name);
  Container container;
  container.digest = digest_of(file, table.back().offset);
  if (!std::ranges::equal(container.digest, file.subspan(kDigestAt, sizeof(Digest))))
    corrupt(name, "its SHA-256 does not fit its contents");
  const auto bytes_of = [&](const Entry& e) {
    return file.subspan(static_cast<std::size_t>(e.offset), static_cast<std::size_t>(e.size));
  };
  for (std::size_t i = 0; i + 1 < table.size(); ++i)
    container.sections.push_back(
        {table[i].name, table[i].flags == kRequired, table[i].offset, bytes_of(table[i])});
  container.signature = read_signature(bytes_of(table.back()), container.digest, name);
  return container;
}

void set_signature(Bytes& file, const std::optional<Signature>& signature) {
  VDLA_CHECK(file.size() > kSignatureBytes) << file.size() << " bytes";
  const std::size_t at = file.size() - kSignatureBytes;
  std::fill(file.begin() + static_cast<std::ptrdiff_t>(at), file.end(), std::byte{0});
  if (!signature) return;
  put(file, at, kEd25519, 4);
  std::ranges::copy(signature->key, file.begin() + static_cast<std::ptrdiff_t>(at + 8));
  std::ranges::copy(signature->value,
                    file.begin() + static_cast<std::ptrdiff_t>(at + 8 + signature->key.size()));
}

void require_signature(const Container& container, const PublicKey& key, const std::string& name) {
  VDLA_CHECK_USER(container.signature)
      << "'" << name << "' is not signed, and a signature of key " << base64_of(key)
      << " is asked for; sign it with 'vdla sign', or leave out --trust";
  VDLA_CHECK_USER(container.signature->key == key)
      << "'" << name << "' is signed with key " << base64_of(container.signature->key)
      << ", not with the trusted key " << base64_of(key);
}

}  // namespace vdla::runtime
