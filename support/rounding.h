// SPDX-License-Identifier: Apache-2.0
// Rounding of a number in the middle between two steps of a quantisation: model formats differ.
#pragma once

#include <cmath>
#include <cstdint>

namespace vdla {

enum class Rounding : std::uint8_t {
  HalfToEven = 0,        ///< ONNX's QuantizeLinear: 0.5 -> 0, 1.5 -> 2
  HalfAwayFromZero = 1,  ///< TFLite's QUANTIZE: 0.5 -> 1, -0.5 -> -1
};

/// The nearest whole number.
inline double rounded(double x, Rounding rounding) {
  return rounding == Rounding::HalfToEven ? std::nearbyint(x) : std::round(x);
}

}  // namespace vdla
