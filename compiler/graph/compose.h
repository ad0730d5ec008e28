// SPDX-License-Identifier: Apache-2.0
// Integer operators that are several nodes of the graph.
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

/// Products of the last two dimensions of two int8 tensors, less their zero points; the others broadcast.
struct BatchMatMul {
  bool transpose_a = false, transpose_b = false;
  std::int32_t a_zero_point = 0, b_zero_point = 0;
  OutputStage out;
};

/// Both operands in int32 ("/a", "/b"), a matrix product ("/product"), the output stage.
TensorId add_batch_matmul(Graph& graph, const std::string& name, const BatchMatMul& op, TensorId a,
                          TensorId b, Quantization quantization = {});

}  // namespace vdla::graph
