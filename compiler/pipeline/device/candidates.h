// SPDX-License-Identifier: Apache-2.0
// The spaces of the templates: every choice of knobs that is worth compiling. A tuner walks them; choose()
// takes the cheapest of a few of their points by the estimate.
#pragma once

#include <vector>

#include "compiler/pipeline/device/tiles.h"

namespace vdla::pipeline::device {

/// Every choice whose tiles fit the buffers. Of choices that give the same loops there is one: with
/// Reuse::KeepWeights the weights of a tile are one load.
std::vector<ConvKnobs> candidates(const Space& space, const isa::Geometry& geometry);
std::vector<TileKnobs> candidates(const Space& space, const TileCost& cost, const isa::Geometry& geometry);

}  // namespace vdla::pipeline::device
