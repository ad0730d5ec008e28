// SPDX-License-Identifier: Apache-2.0
// Sums of products of int8 layers over a batch of images: what calibration looks at. Integers, so that every
// machine gets the same.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/zoo/network.h"

namespace vdla::zoo {

/// A batch of int8 images, NHWC; the value meant is scale * (element - zero_point).
struct Batch {
  Image shape;
  std::vector<std::int8_t> data;
  double scale = 1;
  int zero_point = 0;
};

/// Conv, Depthwise or Dense without bias. Weights: [out channel][y][x][in channel].
std::vector<std::int32_t> accumulate(const Layer& layer, const Batch& in,
                                     std::span<const std::int8_t> weights);

/// MaxPool.
std::vector<std::int8_t> largest(const Layer& layer, const Batch& in);

/// GlobalAveragePool: sums of element - zero_point.
std::vector<std::int32_t> channel_sums(const Batch& in);

}  // namespace vdla::zoo
