// SPDX-License-Identifier: Apache-2.0
#include "runtime/code/layout.h"

#include <unistd.h>

#include <algorithm>

#include "runtime/code/refuse.h"

namespace vdla::runtime {
namespace {

/// Most bytes of sections that have none in the file; kernels keep no state beside the hook.
constexpr std::uint64_t kMostZeroBytes = 1 << 20;
/// Type of sections with unwind tables: nothing is thrown through kernels.
constexpr std::uint32_t kUnwindTable = SHT_LOPROC + 1;

std::size_t rounded_up(std::size_t value, std::size_t step) { return (value + step - 1) / step * step; }

std::size_t add_places(std::size_t at, std::size_t bytes, const std::vector<bool>& wanted,
                       std::vector<std::size_t>& places) {
  at = rounded_up(at, machine::kVeneerBytes);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!wanted[i]) continue;
    places[i] = at;
    at += bytes;
  }
  return at;
}

}  // namespace

std::optional<MemoryKind> Layout::kind_of(const ElfObject& object, const ElfObject::Section& section) {
  if ((section.sh_flags & SHF_ALLOC) == 0 || section.sh_type == kUnwindTable ||
      object.name_of(section) == ".eh_frame")
    return std::nullopt;
  const bool code = (section.sh_flags & SHF_EXECINSTR) != 0, writable = (section.sh_flags & SHF_WRITE) != 0;
  require_object(!code || !writable, "section '{}' is code that changes", object.name_of(section));
  require_object((section.sh_flags & (SHF_TLS | SHF_COMPRESSED)) == 0,
                 "section '{}' is of threads, or compressed", object.name_of(section));
  return code ? MemoryKind::Code : writable ? MemoryKind::Variables : MemoryKind::Constants;
}

void Layout::read_uses(const ElfObject& object, std::uint64_t bytes_of_object) {
  std::uint64_t bytes = 0;
  for (const ElfObject::Section& section : object.sections()) {
    if (section.sh_type != SHT_RELA && section.sh_type != SHT_REL) continue;
    require_object(section.sh_info < object.sections().size(), "relocations name section {} of {}",
                   section.sh_info, object.sections().size());
    const ElfObject::Section& target = object.sections()[section.sh_info];
    if (!kind_of(object, target)) continue;
    bytes += section.sh_size;
    require_object(bytes <= bytes_of_object, "sections of their ELF object overlap");
    for (const ElfRelocation& relocation : object.relocations_of(section)) {
      const auto what = machine::relocation(relocation.type);
      require_object(what.has_value(), "relocation type {} is not one that the compiler makes",
                     relocation.type);
      if (what->puts == machine::Puts::Nothing) continue;
      require_object(relocation.offset <= target.sh_size &&
                         what->bytes <= target.sh_size - relocation.offset && target.sh_type != SHT_NOBITS,
                     "a relocation changes byte {} of the {} of section '{}'", relocation.offset,
                     target.sh_size, object.name_of(target));
      uses.push_back({static_cast<std::size_t>(section.sh_info), relocation, *what});
    }
  }
}

Layout::Layout(const ElfObject& object, std::uint64_t bytes_of_object) {
  read_uses(object, bytes_of_object);
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  require_object(object.symbols().size() <= bytes_of_object, "sections of their ELF object overlap");
  std::vector<bool> has_slot(object.symbols().size()), has_veneer(object.symbols().size());
  for (const Use& use : uses) {
    if (use.what.puts == machine::Puts::Slot) has_slot[use.relocation.symbol] = true;
    if (use.what.puts == machine::Puts::Branch && is_undefined(object.symbols()[use.relocation.symbol]))
      has_veneer[use.relocation.symbol] = true;
  }
  places.resize(object.sections().size());
  slots.resize(has_slot.size());
  veneers.resize(has_veneer.size());
  std::uint64_t in_file = 0, zero = 0;
  std::size_t at = 0;
  for (const MemoryKind kind : kMemoryKinds) {
    at = starts[static_cast<std::size_t>(kind)] = rounded_up(at, page);
    for (std::size_t i = 0; i < object.sections().size(); ++i) {
      const ElfObject::Section& section = object.sections()[i];
      if (kind_of(object, section) != kind) continue;
      const std::uint64_t alignment = std::max<std::uint64_t>(section.sh_addralign, 1);
      require_object(alignment <= page && (alignment & (alignment - 1)) == 0,
                     "section '{}' is aligned to {} bytes", object.name_of(section), alignment);
      (section.sh_type == SHT_NOBITS ? zero : in_file) += section.sh_size;
      require_object(in_file <= bytes_of_object && section.sh_size <= bytes_of_object + kMostZeroBytes &&
                         zero <= kMostZeroBytes,
                     "section '{}' of {} bytes: their sections overlap, or have no bytes",
                     object.name_of(section), section.sh_size);
      at = rounded_up(at, static_cast<std::size_t>(alignment));
      places[i] = at;
      at += static_cast<std::size_t>(section.sh_size);
    }
    if (kind == MemoryKind::Code) at = add_places(at, machine::kVeneerBytes, has_veneer, veneers);
    if (kind == MemoryKind::Constants) at = add_places(at, sizeof(std::uintptr_t), has_slot, slots);
  }
  starts.back() = rounded_up(at + 1, page);
}

}  // namespace vdla::runtime
