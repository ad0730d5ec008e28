// SPDX-License-Identifier: Apache-2.0
// Schedules for a grid: the product of matrices of the paper's Figure 7, and a padded convolution.
#pragma once

#include <cstdint>

#include "compiler/loop/stmt.h"

namespace vdla::grid {

/// C = transpose(A) * B of n x n in tiles of `tile` x `tile` x 8, by threads of 8 x 8 elements each as 2 x 2
/// virtual threads of 4 x 4; a tile's operands are fetched by all threads of a block together. Of 128, the
/// blocks have 16 x 16 threads.
loop::Func sgemm(std::int64_t n, std::int64_t tile);

/// relu(3x3 convolution + bias) of an image of `size` x `size` with `channels` channels and `filters`
/// filters, padded by 1: 32 filters x 2 virtual threads and 4 x 28 pixels a block, whose 8 x 28 threads fetch
/// tiles that they do not divide.
loop::Func convolution(std::int64_t channels, std::int64_t size, std::int64_t filters);

}  // namespace vdla::grid
