// SPDX-License-Identifier: Apache-2.0
// Checks of a tensor and of a port by themselves, for check(). Internal to it.
#pragma once

#include <string>

#include "runtime/module/module.h"

namespace vdla::runtime {

/// More than any model's tensor has; keeps sums of sizes far from overflow.
inline constexpr std::int64_t kMaxTensorBytes = std::int64_t{1} << 36;

/// UserError naming the tensor and its fault: extents, bytes of a constant, scales and zero points.
void check_tensor(const Tensor& tensor);

/// UserError starting with `where`: extents, permutation, and types between which runtime/session/port.h does
/// not convert. `tensor` has passed check_tensor().
void check_port(const Port& port, const Tensor& tensor, const std::string& where);

}  // namespace vdla::runtime
