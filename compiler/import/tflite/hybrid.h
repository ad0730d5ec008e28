// SPDX-License-Identifier: Apache-2.0
// Layers of float data and integer weights with scales ("dynamic range" or "hybrid"): the data become
// integers of 8 bits with a scale for each row, which are found while the network runs.
#pragma once

#include "compiler/import/tflite/operation.h"

namespace vdla::import::tflite {

/// How data become integers (SymmetricQuantizeFloats and AsymmetricQuantizeFloats of TensorFlow Lite).
enum class Steps : std::uint8_t {
  Symmetric,   ///< -127 to 127, in steps of the largest magnitude / 127
  Asymmetric,  ///< -128 to 127 for the least of the values and 0 to the largest, with a zero point
};

/// Data and weights of a layer as it multiplies them: floats, or int32 steps less their zero points.
struct Factors {
  Value x, w;
  bool hybrid = false;
  Value x_scale;  ///< hybrid: float32, extent 1 along the dimensions of a row
  Value w_scale;  ///< hybrid: float32, one element, or one for each output
};

/// Whether the outputs of input 1, the weights, have different scales.
bool scales_differ(const Operation& c);

/// The data and input 1, weights of `rank` dimensions; dimensions `row` of the data have one scale, and
/// `depth` products make a sum. UserError for sums beyond int32.
Factors factors_of(const Operation& c, const Value& x, std::size_t rank, const Integers& row, Steps steps,
                   std::int64_t depth);

/// Sums of products of the factors as floats; outputs are dimension `axis`.
Value real_sums(const Operation& c, const Factors& f, const Value& sums, std::size_t axis);

}  // namespace vdla::import::tflite
