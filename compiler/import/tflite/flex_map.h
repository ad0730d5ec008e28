// SPDX-License-Identifier: Apache-2.0
// Options of a custom operator: a map of FlexBuffers, whose bytes come from a file that may be damaged.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace vdla::import::tflite {

class FlexMap {
 public:
  /// Returns nothing where the bytes are no such map.
  static std::optional<FlexMap> read(std::span<const std::uint8_t> bytes);

  /// Returns the number, or the truth as 0 or 1, of a key; nothing where the map has none.
  std::optional<double> number(const char* key) const;

 private:
  explicit FlexMap(std::vector<std::uint8_t> bytes) : bytes_(std::move(bytes)) {}

  std::vector<std::uint8_t> bytes_;  ///< a copy: within the file they may be off their alignment
};

}  // namespace vdla::import::tflite
