// SPDX-License-Identifier: Apache-2.0
// A relocatable ELF object of this machine's kind, as bytes of an unchecked file: its offsets are held to be
// inside of it before it is used.
#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace vdla::runtime {

/// One relocation; those of sections without addends have what stands in the code.
struct ElfRelocation {
  std::uint64_t offset = 0;  ///< offset in its section
  std::uint32_t type = 0, symbol = 0;
  std::int64_t addend = 0;
  bool has_addend = false;
};

class ElfObject {
 public:
  using Section = ElfW(Shdr);
  using Symbol = ElfW(Sym);

  /// UserError for anything but a relocatable object for `machine` (EM_X86_64 ...), whose tables lie within
  /// it. The bytes must outlive it.
  ElfObject(std::span<const std::byte> bytes, std::uint16_t machine);

  const std::vector<Section>& sections() const { return sections_; }
  const std::vector<Symbol>& symbols() const { return symbols_; }
  std::string_view name_of(const Section& section) const { return text_at(section_names_, section.sh_name); }
  std::string_view name_of(const Symbol& symbol) const { return text_at(symbol_names_, symbol.st_name); }
  /// Returns a section's bytes; empty for a section without bytes in the file.
  std::span<const std::byte> bytes_of(const Section& section) const;
  /// Returns a section's relocations, whose symbols are those of symbols(); empty for other sections.
  std::vector<ElfRelocation> relocations_of(const Section& section) const;
  /// The place of a section's head in the file.
  std::size_t offset_of_head(std::size_t section) const;

 private:
  template <class T>
  T read(std::uint64_t offset, const char* what) const;
  std::span<const std::byte> part(std::uint64_t offset, std::uint64_t size, const char* what) const;
  std::string_view text_at(std::span<const std::byte> table, std::uint64_t offset) const;
  void read_symbols();

  std::span<const std::byte> bytes_;
  std::uint64_t heads_ = 0;
  std::vector<Section> sections_;
  std::vector<Symbol> symbols_;
  std::span<const std::byte> section_names_, symbol_names_;
};

}  // namespace vdla::runtime
