// SPDX-License-Identifier: Apache-2.0
// Output shape and type of an operator, and the checks of its inputs.
#pragma once

#include <string>
#include <vector>

#include "compiler/graph/graph.h"

namespace vdla::graph {

struct TensorType {
  DataType type = DataType::Int8;
  Shape shape;
  bool operator==(const TensorType&) const = default;
};

/// Elements of the largest tensor that a graph may have.
constexpr std::int64_t kLargestTensor = std::int64_t{1} << 32;

/// UserError, which begins with `where`, unless every extent is positive and there are at most `most`
/// elements.
void require_extents(const Shape& shape, const std::string& where, std::int64_t most = kLargestTensor);

/// Throws UserError, naming the node, when the inputs do not fit the operator or the output has no element or
/// more than kLargestTensor.
TensorType infer(const Graph& graph, const std::string& node_name, const Op& op,
                 const std::vector<TensorId>& inputs);

/// Numpy's broadcast of two shapes; UserError when they do not agree.
Shape broadcast(const Shape& a, const Shape& b);

/// Windows along one dimension: floor((extent + pads - dilated kernel) / stride) + 1.
std::int64_t window_count(std::int64_t extent, std::int64_t pads, std::int64_t kernel, std::int64_t stride,
                          std::int64_t dilation);

/// TFLite's SAME padding of one dimension: {before, after}.
std::pair<std::int64_t, std::int64_t> same_padding(std::int64_t extent, std::int64_t kernel,
                                                   std::int64_t stride, std::int64_t dilation);

}  // namespace vdla::graph
