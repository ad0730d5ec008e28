// SPDX-License-Identifier: Apache-2.0
// Values by seed, the same on every machine: a package says the seed in the place of the bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "support/float16.h"

namespace vdla::bench::gpu {

/// Bytes of an element of a type that a seed can give values of: float32, float16, int8; else nothing.
inline std::optional<std::size_t> seeded_width(std::string_view type) {
  if (type == "float32") return 4;
  if (type == "float16") return 2;
  if (type == "int8") return 1;
  return std::nullopt;
}

/// Returns uniform random numbers: floats from -scale to scale, int8 over all values. An element depends on
/// seed and index alone, not on `count`. `type` needs a width.
inline std::vector<std::byte> seeded_values(std::string_view type, std::uint64_t seed, double scale,
                                            std::size_t count) {
  const std::size_t width = seeded_width(type).value();
  std::vector<std::byte> values(count * width);
  for (std::size_t i = 0; i < count; ++i) {
    // SplitMix64 (Steele, Lea and Flood 2014).
    std::uint64_t z = (seed << 32) + (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    const auto number = static_cast<float>(scale * (static_cast<double>(z >> 40) * 0x1p-23 - 1));
    const std::uint16_t half = half_bits(number);
    const auto byte = static_cast<std::uint8_t>(z >> 56);
    const void* from = width == 4   ? static_cast<const void*>(&number)
                       : width == 2 ? static_cast<const void*>(&half)
                                    : &byte;
    std::memcpy(values.data() + i * width, from, width);
  }
  return values;
}

/// A matrix of `rows` rows, of elements of `width` bytes, column by column.
inline std::vector<std::byte> by_columns(const std::vector<std::byte>& matrix, std::size_t rows,
                                         std::size_t width) {
  std::vector<std::byte> result(matrix.size());
  const std::size_t columns = matrix.size() / width / rows;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c)
      std::copy_n(matrix.data() + (r * columns + c) * width, width, result.data() + (c * rows + r) * width);
  return result;
}

}  // namespace vdla::bench::gpu
