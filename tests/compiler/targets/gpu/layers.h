// SPDX-License-Identifier: Apache-2.0
// A network with layers for each template of machines with a grid, small enough to be run on every machine:
// sizes that tiles do not divide, borders, strides, zero points, integers with their channels last and floats
// with their columns last.
#pragma once

#include "compiler/graph/graph.h"

namespace vdla::pipeline::gpu {

/// Weights and multipliers are drawn.
graph::Graph layers(unsigned seed);

/// A product and a convolution of floats of which tiles are cut evenly, as those of large networks are.
graph::Graph even_layers(unsigned seed);

/// 3x3 convolutions of floats with enough channels for Winograd's algorithm: odd sizes, several images,
/// borders of which no two sides are alike, something behind; and one with a stride.
graph::Graph odd_convolutions(unsigned seed);

/// int8 layers and products of which four terms are a word: convolutions with borders, strides, dilation and
/// zero points, one of three channels, dense layers of few rows and of many; and a convolution whose weights
/// have a zero point, which has no such words.
graph::Graph words(unsigned seed);

/// Products that tensor cores take: of halves with something behind, of int8 with zero points and without,
/// of several matrices; and one whose sizes they do not divide.
graph::Graph products(unsigned seed);

}  // namespace vdla::pipeline::gpu
