// SPDX-License-Identifier: Apache-2.0
// Operators that are several nodes of the graph.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"

namespace vdla::graph {

/// Adds weights[o][ky][kx] times each input pixel (y, x) to output pixel (y * stride + ky - pad, ...).
struct TransposedConv2d {
  Hw stride, output;
  std::int64_t pad_top = 0, pad_left = 0;
  std::int32_t input_zero_point = 0, weight_zero_point = 0;
  OutputStage out;
};

/// Inputs: data (NHWC), constant weights (OHWI), optional bias. The input with its pixels `stride` apart
/// ("/spread", the zero point between them and around), then a convolution of stride 1 with the weights
/// turned around.
TensorId add_transposed_conv2d(Graph& graph, const std::string& name, const TransposedConv2d& op,
                               const std::vector<TensorId>& inputs, Quantization quantization = {});

/// An expression with a case for each part is as deep as they are many: more parts than this are joined in
/// steps.
constexpr std::size_t kMostParts = 64;

/// `join` of the parts in their order, of at most kMostParts at a time.
template <class Part, class Join>
Part joined_in_steps(std::vector<Part> parts, const Join& join) {
  while (parts.size() > kMostParts) {
    std::vector<Part> joined;
    for (auto at = parts.begin(); at != parts.end();) {
      const auto end = at + std::min(static_cast<std::ptrdiff_t>(kMostParts), parts.end() - at);
      joined.push_back(join(std::vector<Part>(at, end)));
      at = end;
    }
    parts = std::move(joined);
  }
  return join(std::move(parts));
}

}  // namespace vdla::graph
