// SPDX-License-Identifier: Apache-2.0
// An image as planes of real values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vdla::tools {

struct Image {
  int height = 0, width = 0, channels = 0;
  std::vector<float> pixels;  ///< HWC

  float at(int y, int x, int c) const {
    return pixels[(static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                   static_cast<std::size_t>(x)) *
                      static_cast<std::size_t>(channels) +
                  static_cast<std::size_t>(c)];
  }
};

/// 8192 x 8192: its values take 0.8 GB.
constexpr std::uint64_t kMaxPixels = std::uint64_t{1} << 26;

}  // namespace vdla::tools
