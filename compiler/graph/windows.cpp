// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/windows.h"

#include <algorithm>

namespace vdla::graph {

std::int64_t window_count(std::int64_t extent, std::int64_t pads, std::int64_t kernel, std::int64_t stride,
                          std::int64_t dilation) {
  const std::int64_t span = extent + pads - ((kernel - 1) * dilation + 1);
  return span < 0 ? 0 : span / stride + 1;
}

std::pair<std::int64_t, std::int64_t> same_padding(std::int64_t extent, std::int64_t kernel,
                                                   std::int64_t stride, std::int64_t dilation) {
  const std::int64_t out = (extent + stride - 1) / stride;
  const std::int64_t total =
      std::max<std::int64_t>(0, (out - 1) * stride + (kernel - 1) * dilation + 1 - extent);
  return {total / 2, total - total / 2};
}

}  // namespace vdla::graph
