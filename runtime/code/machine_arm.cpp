// SPDX-License-Identifier: Apache-2.0
// Armv7-A in Arm state, the code that the compiler makes; what it calls may be Thumb.
#include <elf.h>
#include <sys/auxv.h>

#include <cstring>

#include "runtime/code/machine.h"

namespace vdla::runtime::machine {

const std::uint16_t kElf = EM_ARM;
const std::string_view kArchitecture = "armv7";
bool is_architecture(std::string_view first) { return first.starts_with("armv7"); }

std::optional<Relocation> relocation(std::uint32_t type) {
  switch (type) {
    case R_ARM_NONE:
    case R_ARM_V4BX:
      return Relocation{};
    case R_ARM_ABS32:
    case R_ARM_REL32:
    case R_ARM_PREL31:
    case R_ARM_MOVW_ABS_NC:
    case R_ARM_MOVT_ABS:
    case R_ARM_MOVW_PREL_NC:
    case R_ARM_MOVT_PREL:
      return Relocation{Puts::Address, 4};
    case R_ARM_CALL:
    case R_ARM_JUMP24:
    case R_ARM_PC24:
    case R_ARM_PLT32:
      return Relocation{Puts::Branch, 4};
    case R_ARM_GOT_PREL:
      return Relocation{Puts::Slot, 4};
    default:
      return std::nullopt;
  }
}

namespace {

std::uint32_t word_at(const std::byte* code) {
  std::uint32_t word = 0;
  std::memcpy(&word, code, sizeof word);
  return word;
}

/// The number in the `bits` low bits, with its sign.
std::int64_t signed_low(std::uint32_t word, unsigned bits) {
  return static_cast<std::int32_t>(word << (32 - bits)) >> (32 - bits);
}

constexpr std::uint32_t kBranchBits = 0x00ffffff, kMoveBits = 0x000f0fff, kLow31 = 0x7fffffff;

}  // namespace

std::int64_t addend_in(std::uint32_t type, const std::byte* code) {
  const std::uint32_t word = word_at(code);
  switch (type) {
    case R_ARM_ABS32:
    case R_ARM_REL32:
    case R_ARM_GOT_PREL:
      return static_cast<std::int32_t>(word);
    case R_ARM_PREL31:
      return signed_low(word, 31);
    case R_ARM_MOVW_ABS_NC:
    case R_ARM_MOVT_ABS:
    case R_ARM_MOVW_PREL_NC:
    case R_ARM_MOVT_PREL:
      return signed_low((word >> 4 & 0xf000) | (word & 0xfff), 16);
    case R_ARM_CALL:
    case R_ARM_JUMP24:
    case R_ARM_PC24:
    case R_ARM_PLT32:
      return signed_low(word, 24) * 4;
    default:
      return 0;
  }
}

bool relocate(std::uint32_t type, std::byte* code, std::uint64_t place, std::uint64_t value,
              std::int64_t addend) {
  const auto target = static_cast<std::uint32_t>(value + static_cast<std::uint64_t>(addend));
  const auto distance = static_cast<std::int32_t>(target - static_cast<std::uint32_t>(place));
  std::uint32_t word = word_at(code);
  const auto set = [&](std::uint32_t mask, std::uint32_t bits) {
    word = (word & ~mask) | (bits & mask);
    std::memcpy(code, &word, sizeof word);
    return true;
  };
  const auto set_move = [&](std::uint32_t number) {
    return set(kMoveBits, (number & 0xf000) << 4 | (number & 0xfff));
  };
  switch (type) {
    case R_ARM_ABS32:
      return set(~0u, target);
    case R_ARM_REL32:
    case R_ARM_GOT_PREL:
      return set(~0u, static_cast<std::uint32_t>(distance));
    case R_ARM_PREL31:
      return set(kLow31, static_cast<std::uint32_t>(distance));
    case R_ARM_MOVW_ABS_NC:
      return set_move(target);
    case R_ARM_MOVT_ABS:
      return set_move(target >> 16);
    case R_ARM_MOVW_PREL_NC:
      return set_move(static_cast<std::uint32_t>(distance));
    case R_ARM_MOVT_PREL:
      return set_move(static_cast<std::uint32_t>(distance) >> 16);
    case R_ARM_CALL:
    case R_ARM_JUMP24:
    case R_ARM_PC24:
    case R_ARM_PLT32:
      return (distance & 3) == 0 && signed_low(static_cast<std::uint32_t>(distance), 26) == distance &&
             set(kBranchBits, static_cast<std::uint32_t>(distance) >> 2);
    default:
      return false;
  }
}

void write_veneer(std::byte* code, std::uint64_t target) {
  const std::uint32_t words[] = {0xe51ff004, static_cast<std::uint32_t>(target)};  // ldr pc, .+4
  std::memcpy(code, words, sizeof words);
}

namespace {

bool present_by_hwcap(const Feature& feature) { return (getauxval(AT_HWCAP) >> feature.where[0] & 1) != 0; }

/// Bits of Linux's list (asm/hwcap.h), by LLVM's names.
const Feature kFeatures[] = {
    {"d32", present_by_hwcap, {19}},  {"hwdiv-arm", present_by_hwcap, {17}}, {"neon", present_by_hwcap, {12}},
    {"vfp3", present_by_hwcap, {13}}, {"vfp4", present_by_hwcap, {16}},
};

constexpr Cpu kCpus[] = {{"", ""}, {"generic", ""}, {"cortex-a9", "d32,neon,vfp3"}};

}  // namespace

std::span<const Feature> features() { return kFeatures; }
std::span<const Cpu> cpus() { return kCpus; }

}  // namespace vdla::runtime::machine
