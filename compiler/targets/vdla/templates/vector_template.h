// SPDX-License-Identifier: Apache-2.0
// The template that all layers on the vector unit share: one tile of pixels and channel blocks at a time.
#pragma once

#include <string>
#include <vector>

#include "compiler/expr/dsl.h"
#include "compiler/targets/vdla/templates/scheduled.h"
#include "compiler/targets/vdla/templates/tiles.h"
#include "compiler/targets/vdla/templates/window_te.h"

namespace vdla::pipeline::device {

/// Stages of a layer and the intrinsics that they are made of.
struct Stages {
  struct Compute {
    expr::Tensor tensor;
    const char* intrinsic;
    bool apart = false;  ///< has a place of its own
  };
  std::vector<WindowInput> operands;  ///< not on chip: loaded for each tile (and chunk of kernel rows)
  std::vector<expr::Tensor> weights;  ///< loaded into par: for each chunk, or once for each block of channels
                                      ///< when there is one chunk
  std::vector<expr::Tensor> parameters;  ///< loaded for each block of channels into par
  /// Stages in the accumulators, in order, each in the place of the one before that is not apart.
  std::vector<Compute> acc;
  Compute result;                  ///< stage in the out buffer, or the output itself
  std::vector<expr::Tensor> args;  ///< the last one is the output
  OuterAxes outer = {};            ///< axes of all but weights and parameters
  /// Weights of one chunk, and parameters, are loaded once for each tile, after its operands. Else once for
  /// each block of channels, before its tiles.
  bool constants_by_tile = false;
  std::vector<expr::Tensor> factors = {};  ///< an image that is loaded for each tile into par
};

/// Loops of the output over tiles, outermost first: blocks of channels, rows, columns.
struct TileLoops {
  expr::IterVar blocks, rows, columns;
};

/// Tiles of one result, an output of `schedule`.
TileLoops schedule_tiles(schedule::Schedule& schedule, const Stages& stages, const TileKnobs& knobs,
                         const isa::Geometry& geometry);
/// A schedule of its own. `name` is the function's.
Scheduled schedule_tiles(const Stages& stages, const TileKnobs& knobs, const isa::Geometry& geometry,
                         const char* name);

/// Iteration space of a result of that size, of windows over `in`.
Space tile_space(const Image& in, const Image& out, const SlidingWindow& window, const OnChip& on_chip,
                 const isa::Geometry& geometry);
/// Cost of a tile whose elements are accumulated over a window.
TileCost window_cost(const SlidingWindow& window, std::int64_t par_per_block, const isa::Geometry& geometry);
/// Cost of a tile of two images whose elements go through the accumulators.
TileCost two_images_cost(const isa::Geometry& geometry);
/// Element-wise operands come from inp where an entry of it has the lanes of the vector unit, else from out.
isa::Buffer operand_buffer(const isa::Geometry& geometry);

/// The parameters of `scale` for each block of an image's channels, in DRAM.
expr::Tensor scale_params(const Image& image, const isa::Geometry& geometry, const std::string& suffix = "");
/// `tensor` with each element in a memory of its own, to be loaded; i8 becomes i32 (widened).
expr::Tensor loaded_params(const expr::Tensor& tensor);
/// The window of every output element, as a reduction.
template <class Body>
expr::Value over_window(const SlidingWindow& w, const Body& body) {
  const expr::IterVar ky = expr::reduce_axis(w.kernel_h, "ky"), kx = expr::reduce_axis(w.kernel_w, "kx");
  return body(ky, kx);
}

}  // namespace vdla::pipeline::device
