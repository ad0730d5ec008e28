// SPDX-License-Identifier: Apache-2.0
// Decoders of image files, each by its library; a kit that was built without one has in its place the
// sentence that says what is missing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "tools/data/image_values.h"

namespace vdla::tools {

bool have_jpeg();
bool have_png();

/// Grey has one channel, everything else three; CMYK becomes RGB; turned as its EXIF data says. Throws
/// UserError with libjpeg's message: no JPEG, truncated, corrupt, more than `max_pixels` (seen in the header,
/// before anything is decoded).
Image decode_jpeg(std::span<const std::byte> file, const std::string& path, std::uint64_t max_pixels);

/// Channels as in the file, a palette as its colours, transparency as alpha; of 16 bits the upper 8; turned
/// as its EXIF data says. Throws UserError with libpng's message, as decode_jpeg() does.
Image decode_png(std::span<const std::byte> file, const std::string& path, std::uint64_t max_pixels);

/// Throws UserError that names both numbers.
void check_pixels(std::uint64_t height, std::uint64_t width, const std::string& path,
                  std::uint64_t max_pixels);

}  // namespace vdla::tools
