// SPDX-License-Identifier: Apache-2.0
// Templates that several operators are made of: tensor expressions over blocked tensors, each with its
// schedule. A template knows neither DRAM addresses nor instructions: it returns a schedule with marks where
// an intrinsic shall stand, which lowered() makes a function of. Those of one operator alone are in its file.
//
// Parameters of every function are in the order in which its comment lists them, behind the outer axes of the
// layer: weights and parameters have those along which they differ. Activations that OnChip names lie in inp,
// with K = N: an input as WindowInput (window_te.h) says.
#pragma once

#include <string>

#include "compiler/targets/vdla/templates/layout.h"
#include "compiler/targets/vdla/templates/scheduled.h"
#include "compiler/targets/vdla/templates/tiles.h"
#include "compiler/targets/vdla/templates/vector_template.h"
#include "compiler/targets/vdla/templates/window_te.h"

namespace vdla::pipeline::device {

/// Tensors of a convolution.
struct ConvTensors {
  expr::Tensor in, weights, params;  ///< tensors in DRAM
  expr::Tensor padded, acc, result;  ///< tensors in SRAM
  /// Accumulators with their tile's correction added in place; the accumulators themselves if there are no
  /// corrections.
  expr::Tensor sums;
  bool by_column = false;  ///< layout of `padded`, as WindowInput says
  expr::Tensor out;        ///< result in DRAM, or where OnChip says so the one on chip
  // With a sum:
  expr::Tensor other, sum_params;  ///< tensors in DRAM
  expr::Tensor loaded;             ///< `other` in SRAM
  Sum sum;
};
/// `corrected`: blocks of output channels in front of each correction (ConvKnobs::corrected); 0: without.
ConvTensors conv_tensors(const Conv2d& op, const OnChip& on_chip, const isa::Geometry& geometry,
                         const OuterAxes& outer = {}, std::int64_t corrected = 0);
/// Copies of the constants in SRAM.
struct ConvConstants {
  expr::Tensor weights, params;
};
/// Tiles of `tensors.out`. Where `space` has the input or the constants on chip, it is the caller who says
/// where `padded` or the copies of the constants are computed.
ConvConstants schedule_conv(schedule::Schedule& schedule, const ConvTensors& tensors, const ConvKnobs& knobs,
                            const Space& space, const isa::Geometry& geometry, const OuterAxes& outer = {});

/// Space over in [H][W][Cb][K], weights [part][Nb][KH][KW][Cb][N][K] (Nb with corrections), params
/// [Nb][3][N], with a sum the other operand [OH][OW][Nb][N] and params [3][3][N], out [OH][OW][Nb][N].
/// `outer`: axes of images, groups or products, of which `op` is one (its weights may be those of all).
Space space_of(const Conv2d& op, const isa::Geometry& geometry, const OnChip& on_chip = {});
Scheduled conv2d(const Conv2d& op, const ConvKnobs& knobs, const isa::Geometry& geometry,
                 const OnChip& on_chip = {}, const OuterAxes& outer = {});

/// Stages of windows over `input`. Names end with `suffix`, but for the output's.
Stages depthwise_stages(const DepthwiseConv2d& op, const WindowInput& input, const isa::Geometry& geometry,
                        const OnChip& on_chip, const OuterAxes& outer = {}, const std::string& suffix = "");
/// Space over in, weights [Cb][KH][KW][N] (i8), params [Cb][3][N], out; all in blocks of N channels.
Space space_of(const DepthwiseConv2d& op, const isa::Geometry& geometry, const OnChip& on_chip = {});
TileCost cost_of(const DepthwiseConv2d& op, const isa::Geometry& geometry);
Scheduled depthwise(const DepthwiseConv2d& op, const TileKnobs& knobs, const isa::Geometry& geometry,
                    const OnChip& on_chip = {});

/// A copy by DMA: from its input's parameter to `out`, a tensor in DRAM.
struct Moved {
  WindowInput input;
  expr::Tensor out;
};
Space space_of(const Move& op, const isa::Geometry& geometry, const OnChip& on_chip = {});
TileCost cost_of(const Move& op, const isa::Geometry& geometry);
/// Names of its tensors end with `suffix`.
Moved moved(const Move& op, const isa::Geometry& geometry, const OuterAxes& outer = {},
            const std::string& suffix = "");
/// Tiles of one copy, an output of `schedule`.
void schedule_move(schedule::Schedule& schedule, const Moved& copy, const TileKnobs& knobs,
                   const isa::Geometry& geometry, const OuterAxes& outer = {});

/// One value in all elements of an image: as it lies in the out buffer, and as it is stored.
struct Filled {
  expr::Tensor value, out;
};
/// Names of its tensors end with `suffix`.
Filled filled(const Image& image, std::int32_t value, const isa::Geometry& geometry,
              const std::string& suffix = "");
/// Tiles of them, an output of `schedule`.
void schedule_fill(schedule::Schedule& schedule, const Filled& fill, const TileKnobs& knobs,
                   const isa::Geometry& geometry);

}  // namespace vdla::pipeline::device
