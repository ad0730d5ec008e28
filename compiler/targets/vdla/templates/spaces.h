// SPDX-License-Identifier: Apache-2.0
// The spaces of the device's layers: the knobs of their templates, ragged tiles included.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "compiler/knobs/space.h"
#include "compiler/targets/vdla/templates/lowering.h"
#include "compiler/targets/vdla/templates/ops.h"
#include "compiler/targets/vdla/templates/tiles.h"
#include "isa/spec/geometry.h"

namespace vdla::pipeline::device {

/// The knobs of a layer, and how lower() takes a point of theirs.
struct LayerSpace {
  KnobSpace space;
  Knobs (*knobs)(const Point&);
};

LayerSpace layer_space(const Space& space, const isa::Geometry& geometry, const isa::Timing& timing);
LayerSpace layer_space(const Space& space, const TileCost& cost, const isa::Geometry& geometry,
                       const isa::Timing& timing);

/// Space of any layer, with activations on chip and `inp_entries` of inp for its tiles; nothing where its
/// template has no knobs.
std::optional<LayerSpace> layer_space(const Op& op, const isa::Geometry& geometry, const isa::Timing& timing,
                                      const OnChip& on_chip, std::int64_t inp_entries);

/// Task of a layer: what it computes, without its name and the values of its constants; the key of its knobs.
/// Layers of one task have one space where activations on chip and room are the same.
std::string task_of(const Op& op);
/// Context that they depend on, too: "input on chip, 1536 entries of inp".
std::string context_of(const OnChip& on_chip, std::int64_t inp_entries);

Point point_of(const ConvKnobs& knobs, const Space& space);
Point point_of(const TileKnobs& knobs);

}  // namespace vdla::pipeline::device
