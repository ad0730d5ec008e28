// SPDX-License-Identifier: Apache-2.0
// Images as planes of real values 0..255, read by stb_image: resize, crop, channels.
#pragma once

#include <string>
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

/// PNG, JPEG and what else stb_image knows; throws UserError naming file and cause.
Image read_image(const std::string& path);

/// Bilinear with pixel centres at half integers, without a smoothing filter.
Image resize(const Image& image, int height, int width);
/// The shorter side becomes `side`, the ratio stays.
Image resize_shorter(const Image& image, int side);
/// Throws UserError when the image is smaller.
Image centre_crop(const Image& image, int height, int width, const std::string& path);
/// 1 to 3 by repetition, 3 (or 4) to 1 by ITU-R 601 luma, 4 to 3 by dropping alpha.
Image convert_channels(const Image& image, int channels, const std::string& path);

}  // namespace vdla::tools
