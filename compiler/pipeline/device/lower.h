// SPDX-License-Identifier: Apache-2.0
// Entry point: a layer's descriptor becomes scheduled loop IR for the device, and the constants that it
// reads. What follows is tensorize::tensorize() and codegen::SegmentBuilder, or the interpreter.
//
//   DeviceKernel kernel = lower(op, geometry, timing);
//   place kernel.constants in the constants window;
//   for (const DevicePart& part : kernel.parts) {
//     for each part.params[i]: its place is that of its role (input, second input, constants, output), plus
//     its offset; segment.add(info, tensorize::tensorize(part.func, table), places);
//   }
//
// An activation that stays on chip (`residence`) begins with its border.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "compiler/loop/stmt.h"
#include "compiler/pipeline/device/layout.h"
#include "compiler/pipeline/device/on_chip.h"
#include "compiler/pipeline/device/ops.h"
#include "compiler/pipeline/device/tiles.h"
#include "compiler/pipeline/observe/observe.h"

namespace vdla::pipeline::device {

/// Weights and Scales are what a product's second operand was packed to: the layer's second and third inputs.
/// Scratch lies in out, between parts.
enum class Role : std::uint8_t { Input, SecondInput, Weights, Scales, Constants, Output, Scratch };

/// One per parameter of the function: which tensor it is part of, and where in it.
struct DeviceParam {
  Role role;
  std::int64_t offset;  ///< bytes from the start of the tensor (with its border), or of the layer's constants
  std::size_t input = 0;  ///< of Role::Input: which one, where a layer has many of a kind
};

/// A layer is one function, or several that each compute a part of the output (groups; borders of an average
/// pooling; inputs of a concatenation, one each).
struct DevicePart {
  loop::Func func;  ///< loops with marks for tensorize::tensorize()
  std::vector<DeviceParam> params;
  std::string schedule;  ///< the knobs, for people
};

struct DeviceKernel {
  std::vector<DevicePart> parts;
  std::vector<std::uint8_t> constants;  ///< of all parts
  std::int64_t scratch_entries = 0;     ///< of out, from its first part to its last
};

/// None: the default choice.
using Knobs = std::variant<std::monostate, ConvKnobs, TileKnobs>;

/// UserError when the device cannot do it (unsupported()), or when given knobs do not fit or belong to
/// another kind of layer.
DeviceKernel lower(const Op& op, const isa::Geometry& geometry, const isa::Timing& timing,
                   const Knobs& knobs = {});

/// With activations in inp, where `inp_entries` are left for tiles.
DeviceKernel lower(const Op& op, const isa::Geometry& geometry, const isa::Timing& timing,
                   const Residence& residence, std::int64_t inp_entries, const Knobs& knobs = {},
                   const Watch& watch = {});

/// Cycles of the layer as the default choice of knobs estimates them, for comparisons; nothing where no tile
/// fits. A concatenation counts as stored in place.
std::optional<double> estimate(const Op& op, const isa::Geometry& geometry, const isa::Timing& timing,
                               const OnChip& on_chip, std::int64_t inp_entries);

}  // namespace vdla::pipeline::device
