// SPDX-License-Identifier: Apache-2.0
// Orientation of photographs: cameras store pixels as their sensor has them, and note in EXIF data how the
// image has to be turned.
#pragma once

#include <cstddef>
#include <span>

#include "tools/data/image_values.h"

namespace vdla::tools {

/// Steps from the pixels in a file to the upright image: first rows become columns, then the order of columns
/// is reversed, then the order of rows.
struct Orientation {
  bool transposed = false, mirrored = false, upside_down = false;
  bool operator==(const Orientation&) const = default;
};
inline constexpr Orientation kUpright;

/// Reads tag 0x0112 of EXIF data, which begins as a TIFF file does. Upright where the tag is missing or the
/// data damaged.
Orientation exif_orientation(std::span<const std::byte> tiff);

Image turned(Image image, const Orientation& orientation);

}  // namespace vdla::tools
