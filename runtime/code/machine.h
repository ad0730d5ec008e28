// SPDX-License-Identifier: Apache-2.0
// Facts for linking about the machine that this runs on: one source for each kind of machine, of which CMake
// takes the one that fits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace vdla::runtime::machine {

/// How ELF and triples call it; kElf is 0 on a machine for which nothing is loaded.
extern const std::uint16_t kElf;
extern const std::string_view kArchitecture;  ///< "x86_64"
/// Whether the first part of a triple names this architecture.
bool is_architecture(std::string_view first_of_triple);

/// Value that a relocation puts into the code.
enum class Puts : std::uint8_t {
  Nothing,
  Address,  ///< address of a symbol
  Branch,   ///< to a symbol; one of the process is reached over a veneer
  Slot,     ///< address of a word that holds the symbol's address
};

struct Relocation {
  Puts puts = Puts::Nothing;
  unsigned bytes = 0;  ///< bytes of the code that it changes
};

/// Nothing for a type that the compiler's code does not have.
std::optional<Relocation> relocation(std::uint32_t type);
/// Addend that stands in the code before it is linked, for relocations that have it there.
std::int64_t addend_in(std::uint32_t type, const std::byte* code);
/// Changes the code, which will run at `place`. False when `value` is out of its reach.
bool relocate(std::uint32_t type, std::byte* code, std::uint64_t place, std::uint64_t value,
              std::int64_t addend);

/// Code that goes on at any address; aligned to 16 bytes.
constexpr std::size_t kVeneerBytes = 16;
void write_veneer(std::byte* code, std::uint64_t target);

/// A feature of this kind of CPUs, as LLVM calls it.
struct Feature {
  std::string_view name;
  bool (*present)(const Feature&);
  std::uint32_t where[4] = {};  ///< for `present`
};
std::span<const Feature> features();

/// A CPU that code can be for, and what such code may use beyond what all CPUs of the architecture have:
/// names with commas.
struct Cpu {
  std::string_view name, features;
};
std::span<const Cpu> cpus();

}  // namespace vdla::runtime::machine
