// SPDX-License-Identifier: Apache-2.0
// Parts of the operators that normalise.
#pragma once

#include "compiler/import/tensor/network.h"

namespace vdla::import::tensor {

/// Mean and variance along axes, kept as dimensions of extent 1.
std::pair<Value, Value> moments(const Composer& c, const Value& x, const Integers& axes);

/// (x - mean) / sqrt(variance + epsilon) * scale + bias, all of shapes that broadcast; null: without it.
/// `function` names the map.
Value normalised(const Composer& c, const std::string& function, const Value& x, const Value& mean,
                 const Value& variance, const Value* scale, const Value* bias, double epsilon);

/// 1 / sqrt(variance + epsilon).
Value inverse_deviation(const Composer& c, const Value& variance, double epsilon);

/// Mean of the squares along axes, kept as dimensions of extent 1.
Value mean_square(const Composer& c, const Value& x, const Integers& axes);

/// x / sqrt(mean square + epsilon).
Value divided_by_root(const Composer& c, const Value& x, const Value& mean_square, double epsilon);

/// The axes from `first` on.
Integers axes_from(std::size_t first, std::size_t rank);

/// The type in which a normalisation of `type` is computed: float32, float64 for itself.
DataType wide_type(DataType type);

}  // namespace vdla::import::tensor
