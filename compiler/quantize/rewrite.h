// SPDX-License-Identifier: Apache-2.0
// Rewrites of a float network that leave its function as it is and make it easier to quantise.
#pragma once

#include "compiler/quantize/network.h"

namespace vdla::quantize {

/// Batch norms behind convolutions become part of their weights and biases; how many.
int fold_batch_norms(Network& network);

/// Divisions by constants become products: these have an integer form whatever the constant's shape is.
void multiply_by_reciprocals(Network& network);

/// A Gemm without an integer form (of two values, with a matrix as bias, with factors) becomes a MatMul and
/// what stands around it.
void spread_gemms(Network& network);

/// Cross-layer equalisation: where a convolution (and perhaps a Relu) leads to nothing but another
/// convolution, channels in between are scaled so that their weights on both sides have equal ranges. How
/// many pairs.
int equalise(Network& network);

}  // namespace vdla::quantize
