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

inline Steps steps_of(bool asymmetric) { return asymmetric ? Steps::Asymmetric : Steps::Symmetric; }

/// Weights of a layer as it multiplies them: floats, or int32 steps less their zero points.
struct WeightFactors {
  Value w;
  bool hybrid = false;
  Value w_scale;  ///< hybrid: float32, one element, or one for each output
};

/// The data likewise.
struct Factors : WeightFactors {
  Value x;
  Value x_scale;  ///< hybrid: float32, extent 1 along the dimensions of a row
};

/// Whether the outputs of input 1, the weights, have different scales.
bool scales_differ(const Operation& c);

/// Constant integer weights with scales, less their zero points.
Value weight_steps(const Operation& c, int i);

/// Weights of `rank` dimensions for data like x, of which `depth` products make a sum. Several inputs, each
/// of which has scales of its own, are joined along their first dimension. UserError for sums beyond int32.
WeightFactors weight_factors(const Operation& c, const Value& x, std::size_t rank, std::int64_t depth,
                             const std::vector<int>& inputs = {1});

/// The data and their weights; dimensions `row` of the data have one scale.
Factors factors_of(const Operation& c, const Value& x, const WeightFactors& weights, const Integers& row,
                   Steps steps);

/// Products of rows of floats, as asymmetric steps, and weights in blocks: each block's sum has its scale.
Value product_of_blocks(const Operation& c, const Value& rows, const Blocks& weights);

/// Sums of products of the factors as floats; outputs are dimension `axis`.
Value real_sums(const Operation& c, const Factors& f, const Value& sums, std::size_t axis);

}  // namespace vdla::import::tflite
