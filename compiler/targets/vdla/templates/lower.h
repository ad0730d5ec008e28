// SPDX-License-Identifier: Apache-2.0
// Entry point: a layer's descriptor becomes scheduled loop IR for the device, and the constants that it
// reads. What follows is passes::lower() and codegen::SegmentBuilder, or the interpreter.
//
//   DeviceKernel kernel = lower(op, geometry, timing);
//   place kernel.constants in the constants window;
//   for each kernel.function->params[i]: its place is that of its role (input, second input, constants,
//   output), plus its offset; segment.add(info, passes::lower(table, kernel.function->func), places);
//
// An activation that stays on chip (`residence`) begins with its border.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/observe/observe.h"
#include "compiler/targets/vdla/templates/kernel.h"
#include "compiler/targets/vdla/templates/lowering.h"
#include "compiler/targets/vdla/templates/on_chip.h"
#include "compiler/targets/vdla/templates/ops.h"
#include "compiler/targets/vdla/templates/tiles.h"

namespace vdla::pipeline::device {

/// UserError when the device cannot do it (unsupported()), or when given knobs do not fit or belong to
/// another kind of layer.
DeviceKernel lower(const Op& op, const isa::Geometry& geometry, const isa::Timing& timing,
                   const Knobs& knobs = {});

/// With activations in inp, where `inp_entries` are left for tiles.
DeviceKernel lower(const Op& op, const isa::Geometry& geometry, const isa::Timing& timing,
                   const Residence& residence, std::int64_t inp_entries, const Knobs& knobs = {},
                   const Watch& watch = {});

/// Cycles of the layer as the default choice of knobs estimates them, for comparisons: of all its images,
/// groups and products. Nothing where no tile fits. A concatenation
/// counts as stored in place.
std::optional<double> estimate(const Op& op, const isa::Geometry& geometry, const isa::Timing& timing,
                               const OnChip& on_chip, std::int64_t inp_entries);
}  // namespace vdla::pipeline::device
