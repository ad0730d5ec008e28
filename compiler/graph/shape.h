// SPDX-License-Identifier: Apache-2.0
// Output shape and type of an operator, and the checks of its inputs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/graph/op.h"
#include "compiler/graph/tensor.h"
#include "compiler/graph/windows.h"
#include "support/error.h"

namespace vdla::graph {

/// Elements of the largest tensor that a graph may have.
constexpr std::int64_t kLargestTensor = std::int64_t{1} << 32;

/// UserError, which begins with `where`, unless every extent is positive and there are at most
/// kMostDimensions of them (support/dimensions.h) and at most `most` elements.
void require_extents(const Shape& shape, const std::string& where, std::int64_t most = kLargestTensor);

/// Product of the extents that are not zero; nothing: one is negative, or it is more than `most`.
std::optional<std::int64_t> product_within(const Shape& shape, std::int64_t most = kLargestTensor);

/// Returns the number of elements of a tensor that may have none. UserError, which begins with `where`,
/// unless product_within() of its extents is there: a product of some of them, too, stays within 64 bits.
std::int64_t checked_count(const Shape& shape, const std::string& where);

/// The inputs of a node do not fit its operator: a fault of the author of the node, which may be a pass.
struct InputsDoNotFit : UserError {
  using UserError::UserError;
};

/// Returns the type of the result of a node that reads these of `tensors`. Throws InputsDoNotFit, naming the
/// node, and UserError when the output has no element or more than kLargestTensor.
TensorType infer(std::span<const Tensor> tensors, const std::string& node_name, const Op& op,
                 const std::vector<TensorId>& inputs);

/// Numpy's broadcast of two shapes; UserError when they do not agree.
Shape broadcast(const Shape& a, const Shape& b);

}  // namespace vdla::graph
