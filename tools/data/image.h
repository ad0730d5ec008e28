// SPDX-License-Identifier: Apache-2.0
// Images as planes of real values 0..255: decoding, resize, crop, channels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "tools/data/image_values.h"

namespace vdla::tools {

/// JPEG or PNG, told apart by content; throws UserError naming file and cause.
Image read_image(const std::string& path);
/// Decodes an image from memory; `path` stands in messages.
Image decode_image(std::span<const std::byte> file, const std::string& path,
                   std::uint64_t max_pixels = kMaxPixels);

/// Bilinear with pixel centres at half integers, without a smoothing filter. Throws UserError when more than
/// kMaxPixels would come of it.
Image resize(const Image& image, int height, int width);
/// The shorter side becomes `side`, the ratio stays.
Image resize_shorter(const Image& image, int side);
/// Throws UserError when the image is smaller.
Image centre_crop(const Image& image, int height, int width, const std::string& path);
/// 1 to 3 by repetition, 3 (or 4) to 1 by ITU-R 601 luma, 4 to 3 by dropping alpha.
Image convert_channels(const Image& image, int channels, const std::string& path);

}  // namespace vdla::tools
