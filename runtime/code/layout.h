// SPDX-License-Identifier: Apache-2.0
// Layout of an object's sections in one piece of memory, and what is to be done there.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "runtime/code/elf_object.h"
#include "runtime/code/machine.h"

namespace vdla::runtime {

/// Protection is by pages, so each kind has its own. Code is first: its end has veneers behind it.
enum class MemoryKind : std::uint8_t { Code, Constants, Variables };
constexpr std::array kMemoryKinds = {MemoryKind::Code, MemoryKind::Constants, MemoryKind::Variables};

inline bool is_undefined(const ElfObject::Symbol& symbol) { return symbol.st_shndx == SHN_UNDEF; }

/// Sections of a kind lie one after the other, pages apart from those of other kinds; veneers stand behind
/// the code, slots behind the constants.
struct Layout {
  /// A relocation of a section that is loaded.
  struct Use {
    std::size_t section = 0;
    ElfRelocation relocation;
    machine::Relocation what;
  };

  /// UserError where sections or relocations are not what the compiler makes.
  explicit Layout(const ElfObject& object, std::uint64_t bytes_of_object);

  /// Nothing: the section is not loaded.
  static std::optional<MemoryKind> kind_of(const ElfObject& object, const ElfObject::Section& section);

  std::vector<Use> uses;
  /// Places by section; nothing where it is not loaded.
  std::vector<std::optional<std::size_t>> places;
  std::vector<std::size_t> slots, veneers;  ///< places by symbol
  /// Begins by kind, in whole pages; then the end.
  std::array<std::size_t, kMemoryKinds.size() + 1> starts{};

 private:
  void read_uses(const ElfObject& object, std::uint64_t bytes_of_object);
};

}  // namespace vdla::runtime
