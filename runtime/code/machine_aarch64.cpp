// SPDX-License-Identifier: Apache-2.0
#include <elf.h>
#include <sys/auxv.h>

#include <cstring>

#include "runtime/code/machine.h"

namespace vdla::runtime::machine {

const std::uint16_t kElf = EM_AARCH64;
const std::string_view kArchitecture = "aarch64";
bool is_architecture(std::string_view first) { return first == kArchitecture || first == "arm64"; }

std::optional<Relocation> relocation(std::uint32_t type) {
  switch (type) {
    case R_AARCH64_NONE:
      return Relocation{};
    case R_AARCH64_ABS64:
    case R_AARCH64_PREL64:
      return Relocation{Puts::Address, 8};
    case R_AARCH64_ABS32:
    case R_AARCH64_PREL32:
    case R_AARCH64_ADR_PREL_LO21:
    case R_AARCH64_ADR_PREL_PG_HI21:
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC:
    case R_AARCH64_LDST16_ABS_LO12_NC:
    case R_AARCH64_LDST32_ABS_LO12_NC:
    case R_AARCH64_LDST64_ABS_LO12_NC:
    case R_AARCH64_LDST128_ABS_LO12_NC:
      return Relocation{Puts::Address, 4};
    case R_AARCH64_CALL26:
    case R_AARCH64_JUMP26:
      return Relocation{Puts::Branch, 4};
    case R_AARCH64_ADR_GOT_PAGE:
    case R_AARCH64_LD64_GOT_LO12_NC:
      return Relocation{Puts::Slot, 4};
    default:
      return std::nullopt;
  }
}

std::int64_t addend_in(std::uint32_t /*type*/, const std::byte* /*code*/) { return 0; }

namespace {

bool fits_bits(std::int64_t value, unsigned bits) {
  return value >= -(std::int64_t{1} << (bits - 1)) && value < std::int64_t{1} << (bits - 1);
}

/// Bits of an instruction that hold a number.
bool set_field(std::byte* code, unsigned low, unsigned bits, std::int64_t value) {
  std::uint32_t word = 0;
  std::memcpy(&word, code, sizeof word);
  const std::uint32_t mask = ((1u << bits) - 1) << low;
  word = (word & ~mask) | (static_cast<std::uint32_t>(value) << low & mask);
  std::memcpy(code, &word, sizeof word);
  return true;
}

/// The number of ADR and ADRP: its two low bits stand apart.
bool set_adr(std::byte* code, std::int64_t value) {
  return fits_bits(value, 21) && set_field(code, 29, 2, value) && set_field(code, 5, 19, value >> 2);
}

/// Sets an offset in a page, for a load of 1 << shift bytes.
bool set_page_offset(std::byte* code, std::uint64_t address, unsigned shift) {
  const auto offset = static_cast<std::int64_t>(address & 0xfff);
  return (offset & ((1 << shift) - 1)) == 0 && set_field(code, 10, 12, offset >> shift);
}

template <class Word>
bool set_word(std::byte* code, std::uint64_t value, bool fits) {
  const auto word = static_cast<Word>(value);
  std::memcpy(code, &word, sizeof word);
  return fits;
}

}  // namespace

bool relocate(std::uint32_t type, std::byte* code, std::uint64_t place, std::uint64_t value,
              std::int64_t addend) {
  const std::uint64_t target = value + static_cast<std::uint64_t>(addend);
  const auto distance = static_cast<std::int64_t>(target - place);
  constexpr std::uint64_t kPage = ~std::uint64_t{0xfff};
  switch (type) {
    case R_AARCH64_ABS64:
      return set_word<std::uint64_t>(code, target, true);
    case R_AARCH64_PREL64:
      return set_word<std::uint64_t>(code, target - place, true);
    case R_AARCH64_ABS32:
      return set_word<std::uint32_t>(code, target, target >> 32 == 0);
    case R_AARCH64_PREL32:
      return set_word<std::uint32_t>(code, target - place, fits_bits(distance, 32));
    case R_AARCH64_ADR_PREL_LO21:
      return set_adr(code, distance);
    case R_AARCH64_ADR_PREL_PG_HI21:
    case R_AARCH64_ADR_GOT_PAGE:
      return set_adr(code, static_cast<std::int64_t>((target & kPage) - (place & kPage)) >> 12);
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC:
      return set_page_offset(code, target, 0);
    case R_AARCH64_LDST16_ABS_LO12_NC:
      return set_page_offset(code, target, 1);
    case R_AARCH64_LDST32_ABS_LO12_NC:
      return set_page_offset(code, target, 2);
    case R_AARCH64_LDST64_ABS_LO12_NC:
    case R_AARCH64_LD64_GOT_LO12_NC:
      return set_page_offset(code, target, 3);
    case R_AARCH64_LDST128_ABS_LO12_NC:
      return set_page_offset(code, target, 4);
    case R_AARCH64_CALL26:
    case R_AARCH64_JUMP26:
      return (distance & 3) == 0 && fits_bits(distance, 28) && set_field(code, 0, 26, distance >> 2);
    default:
      return false;
  }
}

void write_veneer(std::byte* code, std::uint64_t target) {
  constexpr std::uint32_t kJump[] = {0x58000050, 0xd61f0200};  // ldr x16, .+8; br x16
  std::memcpy(code, kJump, sizeof kJump);
  std::memcpy(code + sizeof kJump, &target, sizeof target);
}

namespace {

bool present_by_hwcap(const Feature& feature) {
  return (getauxval(feature.where[0]) >> feature.where[1] & 1) != 0;
}

/// Bits of Linux's list (asm/hwcap.h), by LLVM's names.
const Feature kFeatures[] = {
    {"aes", present_by_hwcap, {AT_HWCAP, 3}},      {"bf16", present_by_hwcap, {AT_HWCAP2, 14}},
    {"crc", present_by_hwcap, {AT_HWCAP, 7}},      {"dotprod", present_by_hwcap, {AT_HWCAP, 20}},
    {"fp-armv8", present_by_hwcap, {AT_HWCAP, 0}}, {"fullfp16", present_by_hwcap, {AT_HWCAP, 10}},
    {"i8mm", present_by_hwcap, {AT_HWCAP2, 13}},   {"lse", present_by_hwcap, {AT_HWCAP, 8}},
    {"neon", present_by_hwcap, {AT_HWCAP, 1}},     {"rdm", present_by_hwcap, {AT_HWCAP, 12}},
    {"sha2", present_by_hwcap, {AT_HWCAP, 6}},     {"sve", present_by_hwcap, {AT_HWCAP, 22}},
    {"sve2", present_by_hwcap, {AT_HWCAP2, 1}},
};

constexpr Cpu kCpus[] = {
    {"", "neon"}, {"generic", "neon"}, {"cortex-a53", "crc,neon"}, {"cortex-a72", "crc,neon"}};

}  // namespace

std::span<const Feature> features() { return kFeatures; }
std::span<const Cpu> cpus() { return kCpus; }

}  // namespace vdla::runtime::machine
