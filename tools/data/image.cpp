// SPDX-License-Identifier: Apache-2.0
#include "tools/data/image.h"

#include <algorithm>
#include <cmath>

#include "support/error.h"
#include "support/file_kind.h"
#include "tools/data/files.h"
#include "tools/data/image_decode.h"

namespace vdla::tools {

void check_pixels(std::uint64_t height, std::uint64_t width, const std::string& path,
                  std::uint64_t max_pixels) {
  VDLA_CHECK_USER(height * width <= max_pixels)
      << path << ": the image is " << height << "x" << width << ", " << height * width << " pixels, at most "
      << max_pixels << " are read; scale it down first";
}

Image decode_image(std::span<const std::byte> file, const std::string& path, std::uint64_t max_pixels) {
  const FileKind kind = file_kind(file);
  if (kind == FileKind::Jpeg) return decode_jpeg(file, path, max_pixels);
  if (kind == FileKind::Png) return decode_png(file, path, max_pixels);
  throw UserError(path + ": " + wrong_kind(kind, "a JPEG or PNG image"));
}

Image read_image(const std::string& path) { return decode_image(read_file(path), path); }

Image resize(const Image& image, int height, int width) {
  const auto pixels = static_cast<std::uint64_t>(height) * static_cast<std::uint64_t>(width);
  VDLA_CHECK_USER(pixels <= kMaxPixels)
      << "--resize makes an image of " << height << "x" << width << ", " << pixels << " pixels, of one of "
      << image.height << "x" << image.width << "; at most " << kMaxPixels << " are made";
  Image out{height, width, image.channels, {}};
  out.pixels.reserve(static_cast<std::size_t>(height) * static_cast<std::size_t>(width) *
                     static_cast<std::size_t>(image.channels));
  struct Tap {
    int low, high;
    float share;
  };
  auto tap = [](int i, int to, int from) {
    const float centre =
        std::clamp((static_cast<float>(i) + 0.5f) * static_cast<float>(from) / static_cast<float>(to) - 0.5f,
                   0.0f, static_cast<float>(from - 1));
    const int low = static_cast<int>(centre);
    return Tap{low, std::min(low + 1, from - 1), centre - static_cast<float>(low)};
  };
  for (int y = 0; y < height; ++y) {
    const Tap v = tap(y, height, image.height);
    for (int x = 0; x < width; ++x) {
      const Tap h = tap(x, width, image.width);
      for (int c = 0; c < image.channels; ++c) {
        const float top = std::lerp(image.at(v.low, h.low, c), image.at(v.low, h.high, c), h.share);
        const float bottom = std::lerp(image.at(v.high, h.low, c), image.at(v.high, h.high, c), h.share);
        out.pixels.push_back(std::lerp(top, bottom, v.share));
      }
    }
  }
  return out;
}

Image resize_shorter(const Image& image, int side) {
  const double scale = static_cast<double>(side) / std::min(image.height, image.width);
  return resize(image, static_cast<int>(std::lround(image.height * scale)),
                static_cast<int>(std::lround(image.width * scale)));
}

Image centre_crop(const Image& image, int height, int width, const std::string& path) {
  VDLA_CHECK_USER(image.height >= height && image.width >= width)
      << path << ": the image is " << image.height << "x" << image.width << ", --crop needs at least "
      << height << "x" << width << "; use --resize first";
  Image out{height, width, image.channels, {}};
  const int top = (image.height - height) / 2, left = (image.width - width) / 2;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < image.channels; ++c) out.pixels.push_back(image.at(top + y, left + x, c));
  return out;
}

Image convert_channels(const Image& image, int channels, const std::string& path) {
  VDLA_CHECK_USER(channels == 1 || channels == 3)
      << path << ": the image has " << image.channels << " channels, the model needs " << channels;
  Image out{image.height, image.width, channels, {}};
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) {
      const bool grey = image.channels < 3;
      const float r = image.at(y, x, 0), g = grey ? r : image.at(y, x, 1), b = grey ? r : image.at(y, x, 2);
      if (channels == 3) {
        out.pixels.insert(out.pixels.end(), {r, g, b});
      } else {
        out.pixels.push_back(grey ? r : std::round(0.299f * r + 0.587f * g + 0.114f * b));
      }
    }
  return out;
}

}  // namespace vdla::tools
