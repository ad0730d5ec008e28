// SPDX-License-Identifier: Apache-2.0
#include "runtime/code/elf_object.h"

#include <cstring>

#include "runtime/code/refuse.h"

namespace vdla::runtime {
namespace {

constexpr unsigned char kClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;

std::uint32_t symbol_in(std::uint64_t info) {
  return static_cast<std::uint32_t>(sizeof(void*) == 8 ? info >> 32 : info >> 8);
}

std::uint32_t type_in(std::uint64_t info) {
  return static_cast<std::uint32_t>(sizeof(void*) == 8 ? info & 0xffffffff : info & 0xff);
}

}  // namespace

ElfObject::ElfObject(std::span<const std::byte> bytes, std::uint16_t machine) : bytes_(bytes) {
  const auto head = read<ElfW(Ehdr)>(0, "its head");
  require_object(std::memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_type == ET_REL,
                 "they are not a relocatable ELF object");
  require_object(head.e_ident[EI_CLASS] == kClass && head.e_ident[EI_DATA] == ELFDATA2LSB,
                 "their ELF object has another word size or byte order than this machine");
  require_object(head.e_machine == machine,
                 "their ELF object is for another machine (e_machine {}, needs {})", head.e_machine, machine);
  require_object(head.e_shentsize == sizeof(Section),
                 "sections of their ELF object have heads of {} bytes, needs {}", head.e_shentsize,
                 sizeof(Section));
  heads_ = head.e_shoff;
  part(heads_, std::uint64_t{head.e_shnum} * sizeof(Section), "the table of sections");
  for (std::size_t i = 0; i < head.e_shnum; ++i)
    sections_.push_back(read<Section>(offset_of_head(i), "the head of a section"));
  require_object(head.e_shstrndx < sections_.size(), "their ELF object has no names of sections");
  section_names_ = bytes_of(sections_[head.e_shstrndx]);
  read_symbols();
}

std::size_t ElfObject::offset_of_head(std::size_t section) const {
  return static_cast<std::size_t>(heads_) + section * sizeof(Section);
}

void ElfObject::read_symbols() {
  for (const Section& section : sections_) {
    require_object(section.sh_type != SHT_SYMTAB_SHNDX,
                   "their ELF object has more sections than kernels have");
    if (section.sh_type != SHT_SYMTAB) continue;
    require_object(symbols_.empty(), "their ELF object has two tables of symbols");
    require_object(section.sh_link < sections_.size(), "symbols of their ELF object have no names");
    symbol_names_ = bytes_of(sections_[section.sh_link]);
    const auto table = bytes_of(section);
    symbols_.resize(table.size() / sizeof(Symbol));
    if (!symbols_.empty()) std::memcpy(symbols_.data(), table.data(), symbols_.size() * sizeof(Symbol));
  }
}

std::span<const std::byte> ElfObject::bytes_of(const Section& section) const {
  if (section.sh_type == SHT_NOBITS || section.sh_type == SHT_NULL) return {};
  return part(section.sh_offset, section.sh_size, "a section");
}

std::vector<ElfRelocation> ElfObject::relocations_of(const Section& section) const {
  std::vector<ElfRelocation> list;
  const auto add = [&](std::uint64_t offset, std::uint64_t info) -> ElfRelocation& {
    require_object(symbol_in(info) < symbols_.size(), "a relocation names symbol {} of {}", symbol_in(info),
                   symbols_.size());
    return list.emplace_back(
        ElfRelocation{.offset = offset, .type = type_in(info), .symbol = symbol_in(info)});
  };
  const auto table = bytes_of(section);
  if (section.sh_type == SHT_RELA) {
    for (std::size_t at = 0; table.size() - at >= sizeof(ElfW(Rela)); at += sizeof(ElfW(Rela))) {
      ElfW(Rela) entry;
      std::memcpy(&entry, table.data() + at, sizeof entry);
      ElfRelocation& relocation = add(entry.r_offset, entry.r_info);
      relocation.addend = entry.r_addend;
      relocation.has_addend = true;
    }
  } else if (section.sh_type == SHT_REL) {
    for (std::size_t at = 0; table.size() - at >= sizeof(ElfW(Rel)); at += sizeof(ElfW(Rel))) {
      ElfW(Rel) entry;
      std::memcpy(&entry, table.data() + at, sizeof entry);
      add(entry.r_offset, entry.r_info);
    }
  }
  return list;
}

template <class T>
T ElfObject::read(std::uint64_t offset, const char* what) const {
  T value;
  std::memcpy(&value, part(offset, sizeof value, what).data(), sizeof value);
  return value;
}

std::span<const std::byte> ElfObject::part(std::uint64_t offset, std::uint64_t size, const char* what) const {
  require_object(offset <= bytes_.size() && size <= bytes_.size() - offset,
                 "{} of their ELF object goes to byte {} of {}", what, offset + size, bytes_.size());
  return bytes_.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
}

std::string_view ElfObject::text_at(std::span<const std::byte> table, std::uint64_t offset) const {
  if (offset == 0 && table.empty()) return {};
  require_object(offset < table.size(), "a name of their ELF object begins at byte {} of {}", offset,
                 table.size());
  const char* begin = reinterpret_cast<const char*>(table.data() + offset);
  const std::size_t room = table.size() - static_cast<std::size_t>(offset);
  const void* end = std::memchr(begin, 0, room);
  require_object(end != nullptr, "a name of their ELF object does not end");
  return {begin, static_cast<std::size_t>(static_cast<const char*>(end) - begin)};
}

}  // namespace vdla::runtime
