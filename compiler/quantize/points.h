// SPDX-License-Identifier: Apache-2.0
// Tensors that get scales, and these scales.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/quantize/network.h"
#include "compiler/quantize/statistics.h"

namespace vdla::quantize {

/// Activations that get a scale, in the order in which they are made.
std::vector<std::string> points_of(const Network& network);

/// The scale of each point; a moving operator hands on that of its input.
std::map<std::string, Scale> scales_of(const Network& network, const std::vector<std::string>& points,
                                       const std::map<std::string, Statistics>& seen, const Options& options);

}  // namespace vdla::quantize
