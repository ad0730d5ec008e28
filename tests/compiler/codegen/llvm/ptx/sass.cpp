// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/codegen/llvm/ptx/sass.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

namespace vdla::codegen {
namespace {

/// Bytes. The opcode is in the low twelve bits of the first eight.
constexpr std::size_t kInstruction = 16;
constexpr std::uint16_t kBranch = 0x947;
/// With operands in registers, one constant in the instruction, one in the bank of constants.
constexpr std::uint16_t kFusedMultiplyAdds[] = {0x223, 0x423, 0x823, 0xa23, 0x623};

/// HMMA, IMMA.
constexpr std::uint16_t kMatrixMultiplies[] = {0x23c, 0x237};

template <class T>
T at(std::span<const char> bytes, std::size_t offset) {
  T value{};
  if (offset + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

}  // namespace

Sass sass_of(std::span<const char> cubin, const std::string& kernel) {
  const auto head = at<Elf64_Ehdr>(cubin, 0);
  const auto section = [&](std::size_t i) {
    return at<Elf64_Shdr>(cubin, head.e_shoff + i * head.e_shentsize);
  };
  const auto names = section(head.e_shstrndx);
  Sass sass;
  for (std::size_t i = 0; i < head.e_shnum; ++i) {
    const Elf64_Shdr s = section(i);
    if (".text." + kernel != std::string(cubin.data() + names.sh_offset + s.sh_name)) continue;
    for (std::size_t offset = 0; offset < s.sh_size; offset += kInstruction) {
      const auto low = at<std::uint64_t>(cubin, s.sh_offset + offset);
      const auto high = at<std::uint64_t>(cubin, s.sh_offset + offset + 8);
      const auto opcode = static_cast<std::uint16_t>(low & 0xfff);
      const std::size_t own = sass.opcodes.size();
      sass.opcodes.push_back(opcode);
      if (opcode != kBranch) continue;
      // Words of four bytes from the next instruction on, 48 bits with a sign.
      const auto bits = (low >> 34) | ((high & 0x3ffff) << 30);
      const std::int64_t words = static_cast<std::int64_t>(bits << 16) >> 16;
      const std::int64_t target = static_cast<std::int64_t>(own) + 1 + words / 4;
      if (target >= 0 && target <= static_cast<std::int64_t>(own))
        sass.loops.push_back({static_cast<std::size_t>(target), own});
    }
  }
  return sass;
}

namespace {

double share(const Sass& sass, const Sass::Loop& loop, std::span<const std::uint16_t> wanted) {
  const std::span body(sass.opcodes.data() + loop.first, loop.last - loop.first + 1);
  const auto count = std::ranges::count_if(
      body, [&](std::uint16_t opcode) { return std::ranges::count(wanted, opcode) != 0; });
  return static_cast<double>(count) / static_cast<double>(body.size());
}

}  // namespace

double fused_share(const Sass& sass, const Sass::Loop& loop) { return share(sass, loop, kFusedMultiplyAdds); }

double matrix_share(const Sass& sass, const Sass::Loop& loop) { return share(sass, loop, kMatrixMultiplies); }

}  // namespace vdla::codegen
