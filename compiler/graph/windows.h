// SPDX-License-Identifier: Apache-2.0
// How many windows fit, and the padding that formats mean by a word.
#pragma once

#include <cstdint>
#include <utility>

namespace vdla::graph {

/// Most of a kernel, a stride, a dilation or a padding: what is computed with them then fits 64 bits.
inline constexpr std::int64_t kMostOfWindow = std::int64_t{1} << 20;

/// Windows along one dimension: floor((extent + pads - dilated kernel) / stride) + 1.
std::int64_t window_count(std::int64_t extent, std::int64_t pads, std::int64_t kernel, std::int64_t stride,
                          std::int64_t dilation);

/// TFLite's SAME padding of one dimension: {before, after}.
std::pair<std::int64_t, std::int64_t> same_padding(std::int64_t extent, std::int64_t kernel,
                                                   std::int64_t stride, std::int64_t dilation);

}  // namespace vdla::graph
