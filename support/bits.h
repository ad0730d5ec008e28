// SPDX-License-Identifier: Apache-2.0
// Bit fields in 64-bit words and little-endian values in byte arrays, independent of the host's byte order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace vdla {

/// `width` ones, width 0 to 64.
constexpr std::uint64_t low_mask(unsigned width) {
  return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

constexpr std::uint64_t get_bits(std::uint64_t word, unsigned shift, unsigned width) {
  return (word >> shift) & low_mask(width);
}

constexpr std::uint64_t set_bits(std::uint64_t word, unsigned shift, unsigned width, std::uint64_t value) {
  const std::uint64_t mask = low_mask(width) << shift;
  return (word & ~mask) | ((value << shift) & mask);
}

/// The low `width` (1 to 64) bits as two's complement.
constexpr std::int64_t sign_extend(std::uint64_t value, unsigned width) {
  const std::uint64_t sign = std::uint64_t{1} << (width - 1);
  return static_cast<std::int64_t>(((value & low_mask(width)) ^ sign) - sign);
}

constexpr bool fits_unsigned(std::int64_t value, unsigned width) {
  return value >= 0 && (width >= 63 || (value >> width) == 0);
}
constexpr bool fits_signed(std::int64_t value, unsigned width) {
  return sign_extend(static_cast<std::uint64_t>(value), width) == value;
}

/// Little-endian integer at the start of `bytes`, which must be long enough.
template <class T>
constexpr T load_le(std::span<const std::byte> bytes) {
  static_assert(std::is_integral_v<T>);
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) value |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
  return static_cast<T>(value);
}

template <class T>
constexpr void store_le(std::span<std::byte> bytes, T value) {
  static_assert(std::is_integral_v<T>);
  const auto raw = static_cast<std::uint64_t>(value);
  for (std::size_t i = 0; i < sizeof(T); ++i) bytes[i] = static_cast<std::byte>((raw >> (8 * i)) & 0xff);
}

}  // namespace vdla
