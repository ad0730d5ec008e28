// SPDX-License-Identifier: Apache-2.0
// An integer operator that is several nodes of the graph.
#pragma once

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

}  // namespace vdla::graph
