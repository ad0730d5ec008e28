// SPDX-License-Identifier: Apache-2.0
#include "compiler/zoo/accumulate.h"

#include <algorithm>

namespace vdla::zoo {
namespace {

/// Calls visit(image, oy, ox) for every window of a batch, in order.
template <class Visit>
void for_each_window(const Layer& layer, const Batch& in, Visit&& visit) {
  const std::int64_t images = static_cast<std::int64_t>(in.data.size()) / in.shape.count();
  for (std::int64_t n = 0; n < images; ++n)
    for (std::int64_t oy = 0; oy < layer.out.h; ++oy)
      for (std::int64_t ox = 0; ox < layer.out.w; ++ox) visit(n, oy, ox);
}

/// Calls visit(tap, pixel) for each place of one window that lies in the image; `pixel` points to its
/// channels.
template <class Visit>
void for_each_tap(const Layer& layer, const Batch& in, std::int64_t n, std::int64_t oy, std::int64_t ox,
                  Visit&& visit) {
  for (std::int64_t ky = 0; ky < layer.kernel.h; ++ky)
    for (std::int64_t kx = 0; kx < layer.kernel.w; ++kx) {
      const std::int64_t y = oy * layer.stride.h + ky - layer.pads.top;
      const std::int64_t x = ox * layer.stride.w + kx - layer.pads.left;
      if (y < 0 || y >= in.shape.h || x < 0 || x >= in.shape.w) continue;
      visit(ky * layer.kernel.w + kx,
            &in.data[static_cast<std::size_t>(((n * in.shape.h + y) * in.shape.w + x) * in.shape.c)]);
    }
}

/// Takes int16, so that compilers find multiply-add instructions.
std::int32_t dot(const std::int16_t* a, const std::int16_t* b, std::int64_t count) {
  std::int32_t sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

std::vector<std::int32_t> accumulate(const Layer& layer, const Batch& in,
                                     std::span<const std::int8_t> weights) {
  const std::int64_t taps = layer.kernel.h * layer.kernel.w, channels = in.shape.c;
  const std::vector<std::int16_t> wide(weights.begin(), weights.end());
  std::vector<std::int16_t> patch(static_cast<std::size_t>(taps * channels));
  std::vector<std::int32_t> sums;
  for_each_window(layer, in, [&](std::int64_t n, std::int64_t oy, std::int64_t ox) {
    std::fill(patch.begin(), patch.end(), std::int16_t{0});
    for_each_tap(layer, in, n, oy, ox, [&](std::int64_t tap, const std::int8_t* pixel) {
      for (std::int64_t c = 0; c < channels; ++c)
        patch[static_cast<std::size_t>(tap * channels + c)] =
            static_cast<std::int16_t>(pixel[c] - in.zero_point);
    });
    for (std::int64_t o = 0; o < layer.out.c; ++o) {
      if (layer.kind != Kind::Depthwise) {
        sums.push_back(
            dot(patch.data(), &wide[static_cast<std::size_t>(o * taps * channels)], taps * channels));
        continue;
      }
      std::int32_t sum = 0;
      for (std::int64_t tap = 0; tap < taps; ++tap)
        sum += patch[static_cast<std::size_t>(tap * channels + o)] *
               wide[static_cast<std::size_t>(o * taps + tap)];
      sums.push_back(sum);
    }
  });
  return sums;
}

std::vector<std::int8_t> largest(const Layer& layer, const Batch& in) {
  const auto channels = static_cast<std::size_t>(in.shape.c);
  std::vector<std::int8_t> result;
  for_each_window(layer, in, [&](std::int64_t n, std::int64_t oy, std::int64_t ox) {
    const std::size_t base = result.size();
    result.resize(base + channels, INT8_MIN);
    for_each_tap(layer, in, n, oy, ox, [&](std::int64_t, const std::int8_t* pixel) {
      for (std::size_t c = 0; c < channels; ++c) result[base + c] = std::max(result[base + c], pixel[c]);
    });
  });
  return result;
}

std::vector<std::int32_t> channel_sums(const Batch& in) {
  const auto channels = static_cast<std::size_t>(in.shape.c);
  const auto image = static_cast<std::size_t>(in.shape.count());
  std::vector<std::int32_t> sums(in.data.size() / image * channels, 0);
  for (std::size_t i = 0; i < in.data.size(); ++i)
    sums[i / image * channels + i % channels] += in.data[i] - in.zero_point;
  return sums;
}

}  // namespace vdla::zoo
