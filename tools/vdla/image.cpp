// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/image.h"

#include <algorithm>
#include <cmath>

#define STB_IMAGE_IMPLEMENTATION
#define STBI_FAILURE_USERMSG
#include <stb/stb_image.h>

#include "support/error.h"
#include "tools/vdla/files.h"

namespace vdla::tools {

Image read_image(const std::string& path) {
  const auto file = read_file(path);
  Image image;
  unsigned char* data =
      stbi_load_from_memory(reinterpret_cast<const unsigned char*>(file.data()),
                            static_cast<int>(file.size()), &image.width, &image.height, &image.channels, 0);
  VDLA_CHECK_USER(data != nullptr) << path << ": not an image that can be read: " << stbi_failure_reason();
  const auto n = static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height) *
                 static_cast<std::size_t>(image.channels);
  image.pixels.assign(data, data + n);
  stbi_image_free(data);
  return image;
}

Image resize(const Image& image, int height, int width) {
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
