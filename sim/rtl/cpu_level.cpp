// SPDX-License-Identifier: Apache-2.0
#include "sim/rtl/cpu_level.h"

#include <elf.h>

#include <bit>
#include <cstring>
#include <fstream>
#include <vector>

namespace vdla::sim {
namespace {

constexpr std::uint32_t kNeededIsa = 0xc0008002;  // GNU_PROPERTY_X86_ISA_1_NEEDED

/// Bytes of the file there; nothing when the file ends before.
std::vector<char> read_at(std::ifstream& file, std::uint64_t offset, std::uint64_t size) {
  constexpr std::uint64_t kMost = 1 << 20;
  std::vector<char> bytes(size <= kMost ? size : 0);
  file.clear();
  file.seekg(static_cast<std::streamoff>(offset));
  if (!file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) bytes.clear();
  return bytes;
}

template <class T>
bool take(const std::vector<char>& bytes, std::size_t at, T& value) {
  if (bytes.size() < sizeof(T) || at > bytes.size() - sizeof(T)) return false;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return true;
}

std::size_t padded(std::size_t size) { return (size + 7) / 8 * 8; }

/// The level that a segment of properties notes: its highest bit.
int level_of(const std::vector<char>& notes) {
  Elf64_Nhdr note;
  for (std::size_t at = 0; take(notes, at, note);) {
    const std::size_t begin = at + sizeof(note) + (note.n_namesz + 3) / 4 * 4;
    const std::size_t end = std::min<std::size_t>(notes.size(), begin + note.n_descsz);
    std::uint32_t head[2];
    for (std::size_t p = begin; note.n_type == NT_GNU_PROPERTY_TYPE_0 && p + sizeof(head) <= end;) {
      std::uint32_t bits = 0;
      if (!take(notes, p, head)) break;
      if (head[0] == kNeededIsa && head[1] == sizeof(bits) && take(notes, p + sizeof(head), bits) &&
          bits != 0)
        return std::bit_width(bits);
      p += sizeof(head) + padded(head[1]);
    }
    at = begin + padded(note.n_descsz);
  }
  return 1;
}

}  // namespace

int host_cpu_level() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return 4;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
      __builtin_cpu_supports("fma"))
    return 3;
  if (__builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt")) return 2;
#endif
  return 1;
}

int needed_cpu_level(const std::filesystem::path& library) {
  std::ifstream file(library, std::ios::binary);
  Elf64_Ehdr header;
  if (!take(read_at(file, 0, sizeof(header)), 0, header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_machine != EM_X86_64)
    return 1;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!take(read_at(file, header.e_phoff + i * sizeof(segment), sizeof(segment)), 0, segment)) return 1;
    if (segment.p_type == PT_GNU_PROPERTY) return level_of(read_at(file, segment.p_offset, segment.p_filesz));
  }
  return 1;
}

std::string cpu_level_name(int level) { return level <= 1 ? "x86-64" : "x86-64-v" + std::to_string(level); }

}  // namespace vdla::sim
