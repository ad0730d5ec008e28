// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "compiler/graph/graph.h"

namespace vdla::bench {

/// Seconds for the convolutions (with a ReLU behind each) and the matrix products with constants of a
/// network, one after the other on one thread, in layouts of oneDNN's own choice whose conversions are left
/// out: less than a whole network takes. Nothing where the build has no oneDNN.
std::optional<double> layers_alone(const graph::Graph& graph, double budget);

}  // namespace vdla::bench
