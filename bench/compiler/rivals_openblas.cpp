// SPDX-License-Identifier: Apache-2.0
#include <cblas.h>

#include <algorithm>

#include "bench/compiler/rivals.h"

namespace vdla::bench {
namespace {

using pipeline::cpu::Conv2d;

/// [C * R * S][P * Q], zero outside of the image.
void im2col(const Conv2d& c, const float* image, float* columns) {
  for (std::int64_t i = 0; i < c.in_channels; ++i) {
    for (std::int64_t r = 0; r < c.kernel_height; ++r) {
      for (std::int64_t s = 0; s < c.kernel_width; ++s) {
        for (std::int64_t p = 0; p < c.out_height(); ++p) {
          const std::int64_t y = p * c.stride_height + r - c.pad_top;
          for (std::int64_t q = 0; q < c.out_width(); ++q) {
            const std::int64_t x = q * c.stride_width + s - c.pad_left;
            const bool inside = y >= 0 && y < c.in_height && x >= 0 && x < c.in_width;
            *columns++ = inside ? image[(i * c.in_height + y) * c.in_width + x] : 0.0f;
          }
        }
      }
    }
  }
}

void product(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, const float* b, float* c) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, static_cast<int>(m), static_cast<int>(n),
              static_cast<int>(k), 1.0f, a, static_cast<int>(k), b, static_cast<int>(n), 0.0f, c,
              static_cast<int>(n));
}

}  // namespace

void add_openblas(std::vector<Rival>& rivals, const Conv2d& c, std::span<const float> image,
                  std::span<const float> weights, std::span<const float> bias) {
  openblas_set_num_threads(1);
  const std::int64_t pixels = c.out_height() * c.out_width();
  const std::int64_t depth = c.in_channels * c.kernel_height * c.kernel_width;
  auto columns = std::make_shared<std::vector<float>>(static_cast<std::size_t>(depth * pixels));
  auto output = std::make_shared<std::vector<float>>(static_cast<std::size_t>(c.out_channels * pixels));
  const bool as_it_is = c.kernel_height == 1 && c.kernel_width == 1 && c.stride_height == 1 && !c.padded();
  const auto run = [=] {
    const float* b = image.data();
    if (!as_it_is) {
      im2col(c, image.data(), columns->data());
      b = columns->data();
    }
    product(c.out_channels, pixels, depth, weights.data(), b, output->data());
    for (std::int64_t k = 0; k < c.out_channels; ++k) {
      float* row = output->data() + k * pixels;
      const float add = bias[static_cast<std::size_t>(k)];
      for (std::int64_t i = 0; i < pixels; ++i) row[i] = std::max(row[i] + add, c.relu ? 0.0f : row[i] + add);
    }
  };
  run();
  rivals.push_back({"OpenBLAS", run, *output});
}

void add_openblas(std::vector<Rival>& rivals, std::int64_t m, std::int64_t n, std::int64_t k,
                  std::span<const float> a, std::span<const float> b) {
  openblas_set_num_threads(1);
  auto c = std::make_shared<std::vector<float>>(static_cast<std::size_t>(m * n));
  const auto run = [=] { product(m, n, k, a.data(), b.data(), c->data()); };
  run();
  rivals.push_back({"OpenBLAS", run, *c});
}

}  // namespace vdla::bench
