// SPDX-License-Identifier: Apache-2.0
// Values of the model's tensors as numbers, and their differences.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kit/model_tensors.h"

namespace vdla::tools {

using kit::ModelTensor;

/// Differences that are none.
struct Tolerance {
  double steps = 0;     ///< limit of a tensor with a scale, in steps of it
  double relative = 0;  ///< limit of any other, as part of the largest magnitude in both
};

struct TensorDifference {
  std::size_t element = 0, differing = 0;
  std::vector<std::int64_t> index;  ///< index of the first element that differs
  double left = 0, right = 0;       ///< its values, real numbers
  double largest = 0;               ///< largest difference in the tensor, real; infinite beside no number
};

/// The values as real numbers: scale * (value - zero point), or as they are where there is no scale.
std::vector<double> reals_of(const ModelTensor& tensor);

/// Compares two values of one tensor. Nothing: they are equal. UserError for other extents.
std::optional<TensorDifference> difference(const ModelTensor& left, const ModelTensor& right,
                                           const Tolerance& tolerance);

/// Row of a tensor for people and files.
nlohmann::ordered_json json_of(const ModelTensor& tensor);

}  // namespace vdla::tools
