// SPDX-License-Identifier: Apache-2.0
#include "tools/data/orientation.h"

#include <array>
#include <cstdint>
#include <utility>

namespace vdla::tools {
namespace {

/// Orientations by the tag's value, from 1. EXIF states the sides of the image on which the file's first row
/// and first column lie: 1 top left, 2 top right, 3 bottom right, 4 bottom left, 5 left top, 6 right top, 7
/// right bottom, 8 left bottom.
constexpr std::array kOrientations{
    Orientation{false, false, false}, Orientation{false, true, false}, Orientation{false, true, true},
    Orientation{false, false, true},  Orientation{true, false, false}, Orientation{true, true, false},
    Orientation{true, true, true},    Orientation{true, false, true},
};

/// Numbers of a TIFF file, whose first two bytes state their byte order. Beyond its end all are 0.
class Tiff {
 public:
  explicit Tiff(std::span<const std::byte> bytes) : bytes_(bytes), big_endian_(byte(0) == 'M') {}

  bool is_one() const {
    return byte(0) == byte(1) && (byte(0) == 'M' || byte(0) == 'I') && number(2, 2) == 42;
  }
  std::uint64_t number(std::uint64_t at, unsigned size) const {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < size; ++i) value = value << 8 | byte(big_endian_ ? at + i : at + size - 1 - i);
    return value;
  }

 private:
  unsigned byte(std::uint64_t at) const {
    return at < bytes_.size() ? std::to_integer<unsigned>(bytes_[static_cast<std::size_t>(at)]) : 0;
  }

  std::span<const std::byte> bytes_;
  bool big_endian_;
};

}  // namespace

Orientation exif_orientation(std::span<const std::byte> bytes) {
  constexpr std::uint64_t kTag = 0x0112, kShort = 3, kEntryBytes = 12;
  const Tiff tiff(bytes);
  if (!tiff.is_one()) return kUpright;
  const std::uint64_t directory = tiff.number(4, 4), entries = tiff.number(directory, 2);
  for (std::uint64_t i = 0; i < entries; ++i) {
    const std::uint64_t entry = directory + 2 + kEntryBytes * i;
    if (tiff.number(entry, 2) != kTag || tiff.number(entry + 2, 2) != kShort) continue;
    const std::uint64_t value = tiff.number(entry + 8, 2);
    return value >= 1 && value <= kOrientations.size() ? kOrientations[value - 1] : kUpright;
  }
  return kUpright;
}

Image turned(Image image, const Orientation& o) {
  if (o == kUpright) return image;
  Image out{image.height, image.width, image.channels, {}};
  if (o.transposed) std::swap(out.height, out.width);
  out.pixels.reserve(image.pixels.size());
  for (int y = 0; y < out.height; ++y)
    for (int x = 0; x < out.width; ++x) {
      const int row = o.upside_down ? out.height - 1 - y : y, column = o.mirrored ? out.width - 1 - x : x;
      for (int c = 0; c < out.channels; ++c)
        out.pixels.push_back(o.transposed ? image.at(column, row, c) : image.at(row, column, c));
    }
  return out;
}

}  // namespace vdla::tools
