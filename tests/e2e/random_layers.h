// SPDX-License-Identifier: Apache-2.0
// Random layers whose integers come from random scales, as a quantised model's do.
#pragma once

#include <random>
#include <string>

#include "compiler/graph/graph.h"

namespace vdla::e2e {

double uniform(std::mt19937& random, double low, double high);
int uniform(std::mt19937& random, int low, int high);  ///< both ends included

/// value / 2^31 * 2^shift is nearest to `real`; value has 31 bits.
graph::Multiplier multiplier_of(double real);

/// TFLite's preparation of ADD for scales of two inputs and the output.
graph::Add random_add(std::mt19937& random);

/// A square kernel with padding, stride 1, per-channel weights; results use the range of int8.
graph::TensorId add_convolution(graph::Graph& graph, const std::string& name, graph::TensorId input,
                                std::int64_t channels, std::int64_t kernel, std::mt19937& random);

}  // namespace vdla::e2e
