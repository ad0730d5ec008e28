// SPDX-License-Identifier: Apache-2.0
#include "compiler/zoo/samples.h"

#include <algorithm>
#include <array>

#include "compiler/zoo/random.h"

namespace vdla::zoo {
namespace {

constexpr std::int64_t kPatches = 3;  // along each side; colours stand at their corners

void add_noise_image(std::vector<std::int8_t>& images, const Image& shape, Random& random) {
  for (std::int64_t i = 0; i < shape.count(); ++i)
    images.push_back(static_cast<std::int8_t>(random.byte() - 128));
}

void add_smooth_image(std::vector<std::int8_t>& images, const Image& shape, Random& random) {
  std::vector<std::int64_t> colour(static_cast<std::size_t>((kPatches + 1) * (kPatches + 1) * shape.c));
  for (std::int64_t& v : colour) v = random.byte();
  const auto at = [&](std::int64_t y, std::int64_t x, std::int64_t c) {
    return colour[static_cast<std::size_t>((y * (kPatches + 1) + x) * shape.c + c)];
  };
  for (std::int64_t y = 0; y < shape.h; ++y)
    for (std::int64_t x = 0; x < shape.w; ++x)
      for (std::int64_t c = 0; c < shape.c; ++c) {
        const std::int64_t py = y * kPatches / shape.h, px = x * kPatches / shape.w;
        const std::int64_t dy = y * kPatches % shape.h, dx = x * kPatches % shape.w;  // within the patch
        const std::int64_t top = at(py, px, c) * (shape.w - dx) + at(py, px + 1, c) * dx;
        const std::int64_t bottom = at(py + 1, px, c) * (shape.w - dx) + at(py + 1, px + 1, c) * dx;
        const std::int64_t mixed = (top * (shape.h - dy) + bottom * dy) / (shape.h * shape.w);
        const std::int64_t noisy = mixed + random.byte() / 16 - 8;
        images.push_back(static_cast<std::int8_t>(std::clamp<std::int64_t>(noisy, 0, 255) - 128));
      }
}

}  // namespace

std::vector<std::int8_t> sample_images(const Image& shape, int count, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::int8_t> images;
  images.reserve(static_cast<std::size_t>(shape.count() * count));
  for (int i = 0; i < count; ++i) (i % 2 == 0 ? add_noise_image : add_smooth_image)(images, shape, random);
  return images;
}

}  // namespace vdla::zoo
