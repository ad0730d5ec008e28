// SPDX-License-Identifier: Apache-2.0
// Fourier transforms as products with constant matrices. Complex numbers are a last dimension of two
// components, real numbers one of one component.
#pragma once

#include "compiler/import/tensor/network.h"

namespace vdla::import::tensor {

/// Component k of x [..., length, components] in rows [all, length].
Value component(const Composer& c, const Value& x, std::int64_t k);
/// Elements of x [..., elements, components] up to `length`, or all and zeros after them.
Value of_length(const Composer& c, const Value& x, std::int64_t length);
/// First `count` frequencies [..., count, 2] of x [..., length, 1 or 2].
Value transformed(const Composer& c, const Value& x, std::int64_t count, bool inverse);

}  // namespace vdla::import::tensor
