// SPDX-License-Identifier: Apache-2.0
#include "runtime/code/linked_object.h"

#include <sys/mman.h>

#include <cerrno>

#include <algorithm>
#include <array>
#include <cstring>

#include "runtime/code/debug_entry.h"
#include "runtime/code/elf_object.h"
#include "runtime/code/imports.h"
#include "runtime/code/layout.h"
#include "runtime/code/machine.h"
#include "runtime/code/refuse.h"

namespace vdla::runtime {
namespace {

constexpr std::string_view kHookName = "vdla_parallel";

unsigned symbol_type(const ElfObject::Symbol& symbol) { return symbol.st_info & 0xf; }
bool is_local(const ElfObject::Symbol& symbol) { return symbol.st_info >> 4 == STB_LOCAL; }

/// Names in unwind tables of Arm, which are left out.
bool is_unwinder(std::string_view name) { return name.starts_with("__aeabi_unwind_cpp_pr"); }

/// The object, which calls nothing that kernels may not call.
const ElfObject& checked_calls(const ElfObject& object) {
  for (const ElfObject::Symbol& symbol : object.symbols()) {
    const std::string_view name = object.name_of(symbol);
    if (!is_undefined(symbol) || name.empty() || is_unwinder(name)) continue;
    VDLA_CHECK_USER(address_of_import(name) != 0)
        << "the module's host kernels are refused: they call '" << name
        << "', and kernels call mathematics and memory alone";
  }
  return object;
}

}  // namespace

/// The work of the constructor.
class LinkedObject::Link {
 public:
  explicit Link(std::span<const std::byte> elf)
      : bytes_(elf), object_(elf, machine::kElf), layout_(checked_calls(object_), elf.size()) {}

  void run(LinkedObject& to, const ParallelHook& hook) {
    const std::size_t bytes = layout_.starts.back();
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    require_object(memory != MAP_FAILED, "there is no memory for {} bytes of code: {}", bytes,
                   std::strerror(errno));
    memory_ = static_cast<std::byte*>(memory);
    to.memory_ = {memory_, Unmap{bytes}};
    fill();
    for (const Layout::Use& use : layout_.uses) apply(use);
    set_hook(hook);
    protect();
    find_kernels(to.kernels_);
    if (has_lines()) to.debug_ = std::make_unique<DebugEntry>(file_with_places());
  }

 private:
  using Section = ElfObject::Section;
  using Symbol = ElfObject::Symbol;

  bool loaded(std::size_t section) const {
    return section < layout_.places.size() && layout_.places[section].has_value();
  }

  void fill() {
    for (std::size_t i = 0; i < layout_.places.size(); ++i)
      if (layout_.places[i])
        std::ranges::copy(object_.bytes_of(object_.sections()[i]), memory_ + *layout_.places[i]);
  }

  std::uint64_t address_at(std::size_t place) const {
    return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(memory_) + place);
  }

  std::uint64_t address_of(const Symbol& symbol) const {
    if (is_undefined(symbol)) return address_of_import(object_.name_of(symbol));
    require_object(loaded(symbol.st_shndx), "symbol '{}' is in no section that is loaded",
                   object_.name_of(symbol));
    const Section& section = object_.sections()[symbol.st_shndx];
    require_object(symbol.st_value <= section.sh_size, "symbol '{}' is at byte {} of the {} of its section",
                   object_.name_of(symbol), symbol.st_value, section.sh_size);
    return address_at(*layout_.places[symbol.st_shndx] + static_cast<std::size_t>(symbol.st_value));
  }

  void apply(const Layout::Use& use) {
    const std::uint32_t index = use.relocation.symbol;
    const Symbol& symbol = object_.symbols()[index];
    require_object(!is_undefined(symbol) || !object_.name_of(symbol).empty(), "a relocation names no symbol");
    std::uint64_t value = address_of(symbol);
    require_object(value != 0, "a relocation names '{}'", object_.name_of(symbol));
    if (use.what.puts == machine::Puts::Slot) {
      const auto word = static_cast<std::uintptr_t>(value);
      std::memcpy(memory_ + layout_.slots[index], &word, sizeof word);
      value = address_at(layout_.slots[index]);
    } else if (use.what.puts == machine::Puts::Branch && is_undefined(symbol)) {
      machine::write_veneer(memory_ + layout_.veneers[index], value);
      value = address_at(layout_.veneers[index]);
    }
    const std::size_t place = *layout_.places[use.section] + static_cast<std::size_t>(use.relocation.offset);
    std::byte* code = memory_ + place;
    const std::int64_t addend =
        use.relocation.has_addend ? use.relocation.addend : machine::addend_in(use.relocation.type, code);
    require_object(machine::relocate(use.relocation.type, code, address_at(place), value, addend),
                   "relocation type {} does not reach '{}'", use.relocation.type, object_.name_of(symbol));
  }

  void set_hook(const ParallelHook& hook) {
    for (const Symbol& symbol : object_.symbols()) {
      if (is_undefined(symbol) || symbol_type(symbol) != STT_OBJECT || object_.name_of(symbol) != kHookName)
        continue;
      const std::uint64_t at = address_of(symbol) - address_at(0);
      const Section& section = object_.sections()[symbol.st_shndx];
      require_object(Layout::kind_of(object_, section) == MemoryKind::Variables &&
                         sizeof hook <= section.sh_size - symbol.st_value,
                     "variable '{}' is no place for {} bytes", kHookName, sizeof hook);
      std::memcpy(memory_ + at, &hook, sizeof hook);
    }
  }

  void protect() {
    char* begin = reinterpret_cast<char*>(memory_);
    __builtin___clear_cache(begin, begin + layout_.starts[static_cast<std::size_t>(MemoryKind::Constants)]);
    constexpr std::array kProtections = {PROT_READ | PROT_EXEC, PROT_READ, PROT_READ | PROT_WRITE};
    for (std::size_t kind = 0; kind < kMemoryKinds.size(); ++kind) {
      const std::size_t begin_of_kind = layout_.starts[kind], end = layout_.starts[kind + 1];
      require_object(end == begin_of_kind ||
                         mprotect(memory_ + begin_of_kind, end - begin_of_kind, kProtections[kind]) == 0,
                     "this system does not let memory become code: {}", std::strerror(errno));
    }
  }

  void find_kernels(std::map<std::string, std::uintptr_t, std::less<>>& kernels) const {
    for (const Symbol& symbol : object_.symbols()) {
      if (is_undefined(symbol) || is_local(symbol) || symbol_type(symbol) != STT_FUNC) continue;
      const std::uint64_t address = address_of(symbol);
      const Section& section = object_.sections()[symbol.st_shndx];
      require_object(
          Layout::kind_of(object_, section) == MemoryKind::Code && symbol.st_value < section.sh_size,
          "kernel '{}' is no code", object_.name_of(symbol));
      kernels.emplace(object_.name_of(symbol), static_cast<std::uintptr_t>(address));
    }
  }

  bool has_lines() const {
    return std::ranges::any_of(object_.sections(),
                               [&](const Section& s) { return object_.name_of(s) == ".debug_line"; });
  }

  std::vector<std::byte> file_with_places() const {
    std::vector<std::byte> file(bytes_.begin(), bytes_.end());
    for (std::size_t i = 0; i < layout_.places.size(); ++i) {
      if (!layout_.places[i]) continue;
      Section head = object_.sections()[i];
      head.sh_addr = static_cast<decltype(head.sh_addr)>(address_at(*layout_.places[i]));
      std::memcpy(file.data() + object_.offset_of_head(i), &head, sizeof head);
    }
    return file;
  }

  std::span<const std::byte> bytes_;
  ElfObject object_;
  Layout layout_;
  std::byte* memory_ = nullptr;
};

LinkedObject::LinkedObject(std::span<const std::byte> elf, const ParallelHook& hook) {
  Link(elf).run(*this, hook);
}
LinkedObject::~LinkedObject() = default;

void LinkedObject::Unmap::operator()(std::byte* memory) const { munmap(memory, bytes); }

std::uintptr_t LinkedObject::kernel(const std::string& name) const {
  const auto found = kernels_.find(name);
  return found == kernels_.end() ? 0 : found->second;
}

}  // namespace vdla::runtime
