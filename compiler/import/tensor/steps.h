// SPDX-License-Identifier: Apache-2.0
// QuantizeLinear and DequantizeLinear of one element.
#pragma once

#include "compiler/import/tensor/scalar.h"

namespace vdla::import::tensor {

/// x / scale, both in float32, rounded half to even, plus the zero point, limited to the type of the zero
/// point.
inline Scalar quantised(const Scalar& x, const Scalar& scale, const Scalar& zero) {
  const expr::DType type = zero.dtype();
  const auto bound = [](std::int64_t v) {
    return Scalar(expr::float_imm(static_cast<double>(v), expr::DType::F32));
  };
  const Scalar moved = call(expr::Function::RoundEven, x / scale) + expr::cast(expr::DType::F32, zero);
  return expr::cast(type, clamp(moved, bound(expr::min_value(type)), bound(expr::max_value(type))));
}

/// (x - zero point) * scale, in float32; both are integers, the difference is taken in int32.
inline Scalar dequantised(const Scalar& x, const Scalar& scale, const Scalar& zero) {
  const Scalar steps = expr::cast(expr::DType::I32, x) - expr::cast(expr::DType::I32, zero);
  return expr::cast(expr::DType::F32, steps) * expr::cast(expr::DType::F32, scale);
}

}  // namespace vdla::import::tensor
