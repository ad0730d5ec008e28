// SPDX-License-Identifier: Apache-2.0
// Bit fields as data: a table of (name, width) is packed from bit 0 upward, no field straddles a 64-bit word, overflow
// does not compile.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace vdla::isa {

inline constexpr unsigned kWordBits = 64;
inline constexpr unsigned kInsnWords = 8;
/// Every task instruction has this size, whatever the geometry.
inline constexpr unsigned kInsnBytes = kInsnWords * kWordBits / 8;
/// One micro-op.
inline constexpr unsigned kUopBytes = 8;

enum class Signedness : unsigned char { Unsigned, Signed };

struct Field {
  std::string_view name;
  unsigned width;
  std::string_view doc = "";
  Signedness sign = Signedness::Unsigned;
  unsigned offset = 0;  ///< bit position; filled in by pack()

  constexpr unsigned word() const { return offset / kWordBits; }
  constexpr unsigned shift() const { return offset % kWordBits; }
  constexpr bool is_signed() const { return sign == Signedness::Signed; }
};

/// A field of this name only moves on to the next 64-bit word.
inline constexpr std::string_view kNextWord = "";

/// Lays fields out from bit 0 upward; a field that would straddle a word starts the next one. Bits left over are
/// reserved and must be zero. Throws (does not compile in a constant expression) when the fields need more than
/// `total_bits`.
template <std::size_t N>
constexpr std::array<Field, N> pack(std::array<Field, N> fields, unsigned total_bits) {
  unsigned at = 0;
  for (Field& f : fields) {
    if (f.width > kWordBits) throw "field wider than a word";
    const bool straddles = at % kWordBits + f.width > kWordBits;
    if (straddles || (f.name == kNextWord && at % kWordBits != 0)) at = (at / kWordBits + 1) * kWordBits;
    f.offset = at;
    at += f.width;
    if (at > total_bits) throw "fields do not fit";
  }
  return fields;
}

}  // namespace vdla::isa
