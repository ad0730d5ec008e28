// SPDX-License-Identifier: Apache-2.0
// A convolution and the depthwise one behind it, piece by piece: a piece is one block of channels and a strip
// of rows. The result of a piece of the first lies in out, in one of two places by turns, until the second
// has read it: gemm works at one piece while the vector unit is at the one before, and they do not meet in
// inp.
#pragma once

#include <optional>
#include <string>

#include "compiler/pipeline/device/kernel.h"
#include "compiler/pipeline/device/on_chip.h"
#include "compiler/pipeline/device/ops.h"
#include "compiler/pipeline/device/tiles.h"
#include "compiler/pipeline/observe/observe.h"

namespace vdla::pipeline::device {

/// Why the device cannot do it piece by piece, or nothing.
std::optional<std::string> misfit(const ConvDepthwise& op, const isa::Geometry& geometry);

/// As estimate() of lower.h.
std::optional<double> estimate(const ConvDepthwise& op, const isa::Geometry& geometry,
                               const isa::Timing& timing, const OnChip& on_chip);

/// `geometry` has the depth of inp that is left for tiles.
DeviceKernel lower_pieces(const ConvDepthwise& op, const isa::Geometry& geometry, const isa::Timing& timing,
                          const Residence& residence, const Watch& watch = {});

}  // namespace vdla::pipeline::device
