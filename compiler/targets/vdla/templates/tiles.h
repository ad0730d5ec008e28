// SPDX-License-Identifier: Apache-2.0
// Schedule knobs as plain structs, what a choice of them takes of each buffer, and the default choice: the
// cheapest one by a closed-form estimate. A buffer is used to at most half of its depth wherever possible:
// the next tile then finds room beside the one in use.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/targets/vdla/templates/ops.h"
#include "isa/spec/geometry.h"
#include "isa/timing/estimate.h"

namespace vdla::pipeline::device {

/// Activations that lie in inp as a whole, before the layer and after it: it neither loads nor stores them.
struct OnChip {
  bool input = false, second_input = false, output = false;
  bool constants = false;  ///< its weights and parameters lie in wgt and par (but for those of a sum) already
  auto operator<=>(const OnChip&) const = default;
};

/// How what windows read along x lies in entries of B pixels. An entry holds, in its rows, the pixels that B
/// neighbouring pixels of the output read with one tap. Taps that are B steps of the window apart read the
/// same entries, a group further.
struct Grouping {
  /// Pixels of the input from one row of an entry to the next: the window's stride.
  std::int64_t step = 1;
  /// As many neighbouring pixels are loaded at once, into entries that follow each other: a whole row of the
  /// image is one run. 1: only pixels that are read.
  std::int64_t bundle = 1;
  std::int64_t copies = 1;  ///< copies of a row, each beginning a bundle (without bundles a tap) further
  std::int64_t beyond = 0;  ///< groups more than the output has
  std::int64_t first = 0;   ///< pixel that the first copy begins at; negative: padding
  bool by_tap = true;       ///< a copy for each tap
};

/// Iteration space of a layer in entries, along one window.
struct Space {
  std::int64_t out_h = 1;
  std::int64_t out_w = 1;       ///< groups of `batch` pixels
  std::int64_t out_blocks = 1;  ///< blocks of N channels
  std::int64_t in_blocks = 1;   ///< blocks of K channels that the array takes
  /// Blocks of K channels that a pixel has in DRAM: more where N is larger than K, and the last ones hold no
  /// channel. 0: in_blocks.
  std::int64_t stored_blocks = 0;
  std::int64_t parts = 1;  ///< conv_parts()
  bool corrects = false;   ///< ConvKnobs::corrected is a choice: instead of several parts
  std::int64_t batch = 1;
  Grouping grouping;      ///< with a batch
  bool gathered = false;  ///< LOAD picks single pixels along x (stride along a kernel extent of 1)
  bool adds = false;      ///< another image, which lies in out, on the way out
  OnChip on_chip;
  bool piece = false;  ///< one of many that follow each other: its ends overlap with its neighbours
  SlidingWindow
      window;  ///< without padding; a stride along a kernel extent of 1 is 1 here, LOAD skips the pixels

  /// Extents of the input tile in entries; with a batch as its grouping says.
  std::int64_t rows(std::int64_t tile_h, std::int64_t kernel_rows) const;
  std::int64_t columns(std::int64_t tile_w) const;
  /// Blocks that are loaded of each pixel where the array takes `blocks`: with the last one also those that
  /// hold no channel, so that a row of pixels is one run.
  std::int64_t loaded_blocks(std::int64_t blocks) const;
};

/// Operand that stays in SRAM while the loops around the reduction go on.
enum class Reuse : std::uint8_t {
  Stream,       ///< none: tiles outside, channel blocks inside, both operands are loaded for each chunk
  KeepInput,    ///< an input tile, over all blocks of output channels
  KeepWeights,  ///< the weights of `tile_n` blocks, over all tiles
};
std::string_view to_string(Reuse reuse);

/// One accumulator tile is tile_h x tile_w x tile_n entries; its reduction runs in chunks of tile_kh kernel
/// rows and tile_c input blocks.
struct ConvKnobs {
  std::int64_t tile_h = 1, tile_w = 1;
  std::int64_t tile_n = 1;   ///< blocks of output channels
  std::int64_t tile_c = 1;   ///< blocks of input channels per chunk
  std::int64_t tile_kh = 1;  ///< kernel rows per chunk
  std::int64_t load_n = 1;   ///< blocks of output channels per weight load (not with KeepWeights)
  std::int64_t store_n = 1;  ///< blocks of output channels per store
  Reuse reuse = Reuse::Stream;
  std::int64_t vthreads = 1;  ///< number of virtual threads, whose tiles take turns, each in space of its own
  /// Keeps weights that have a zero point in one part, followed in each tile by a correction block whose
  /// weights all are the negative zero point. The vector unit adds that block to the others, since w - zero =
  /// w + (-zero) and the second sum is the same for all channels.
  bool corrected = false;
  bool operator==(const ConvKnobs&) const = default;

  /// Blocks of one accumulator tile that gemm computes.
  std::int64_t gemm_blocks() const { return tile_n + (corrected ? 1 : 0); }
  /// Blocks of output channels in front of each correction; 0: without.
  std::int64_t corrected_blocks() const { return corrected ? tile_n : 0; }
};
/// Tells whether tiles with a correction are alike and each store covers one tile. True if there is no
/// correction.
bool corrects_evenly(const Space& space, const ConvKnobs& knobs);

/// Tiles that virtual threads share out among them. The loops inside of that one are interleaved.
enum class ThreadAxis : std::uint8_t { Rows, Columns, Blocks };
/// The first axis that has a tile for each thread; nothing where none has.
std::optional<ThreadAxis> thread_axis(const Space& space, const ConvKnobs& knobs);

/// For layers on the vector unit: one tile.
struct TileKnobs {
  std::int64_t tile_h = 1, tile_w = 1;
  std::int64_t tile_c = 1;   ///< blocks of channels
  std::int64_t tile_kh = 1;  ///< kernel rows per load
  bool operator==(const TileKnobs&) const = default;
};

/// For a convolution with the depthwise one behind it: how both are cut into pieces.
struct PieceKnobs {
  std::int64_t rows = 1;  ///< rows of a strip of the result
  std::int64_t slab = 0;  ///< strips whose rows of the input are loaded together; 0: each piece loads its
                          ///< input, or has it in inp
  bool operator==(const PieceKnobs&) const = default;
};

std::string to_string(const ConvKnobs& knobs);
std::string to_string(const TileKnobs& knobs);

/// Entries that one tile takes of each buffer, of virtual threads one tile of each: regions as bound
/// inference makes them for ragged tiles.
struct Footprint {
  std::int64_t inp = 0, wgt = 0, acc = 0, out = 0, par = 0;
};
Footprint footprint(const Space& space, const ConvKnobs& knobs);

/// Cost of a layer's tile on the vector unit, per tile of h x w x c blocks.
struct TileCost {
  isa::Buffer operand = isa::Buffer::Inp;  ///< buffer of the input
  std::int64_t operands = 1;               ///< inputs: 2 for add
  std::int64_t par_per_block = 0;          ///< entries of par for each block of channels
  std::int64_t par_per_row = 0;            ///< entries of par for each block and kernel row
  std::int64_t par_fixed = 0;              ///< entries of par for the whole layer
  std::int64_t par_images = 0;             ///< images that lie in par, widened
  std::int64_t steps = 1;                  ///< steps of the vector unit per output entry
  bool accumulates = true;                 ///< goes through acc
  std::int64_t acc_images = 1;             ///< images in acc
};
Footprint footprint(const Space& space, const TileCost& cost, const TileKnobs& knobs);

/// Whether the buffers have room for it.
bool fits(const Footprint& footprint, const isa::Geometry& geometry);

using isa::Work;
/// Total of work that may be none.
std::optional<double> total(const std::optional<Work>& work);

/// Estimated cycles; for choosing, not for publishing.
double estimate(const Space& space, const ConvKnobs& knobs, const isa::Geometry& geometry,
                const isa::Timing& timing);

/// UserError that names layer, buffer (or the tiles that virtual threads lack), need, have and knob values
/// that fit.
void check_fits(const std::string& layer, const Space& space, const ConvKnobs& knobs,
                const isa::Geometry& geometry);
void check_fits(const std::string& layer, const Space& space, const TileCost& cost, const TileKnobs& knobs,
                const isa::Geometry& geometry);

/// Why not even the smallest tile fits, or nothing.
std::optional<std::string> misfit(const Space& space, const isa::Geometry& geometry);
std::optional<std::string> misfit(const Space& space, const TileCost& cost, const isa::Geometry& geometry);

/// With these knobs; nothing where the tile does not fit.
std::optional<Work> work_of(const Space& space, const TileCost& cost, const TileKnobs& knobs,
                            const isa::Geometry& geometry, const isa::Timing& timing);
/// Least work of the default choice; nothing where no tile fits.
std::optional<Work> least_work(const Space& space, const isa::Geometry& geometry, const isa::Timing& timing);
std::optional<Work> least_work(const Space& space, const TileCost& cost, const isa::Geometry& geometry,
                               const isa::Timing& timing);

/// With `vthreads` virtual threads, or with as many as there are tiles for.
ConvKnobs choose(const std::string& layer, const Space& space, const isa::Geometry& geometry,
                 const isa::Timing& timing, std::int64_t vthreads = 1);
TileKnobs choose(const std::string& layer, const Space& space, const TileCost& cost,
                 const isa::Geometry& geometry, const isa::Timing& timing);

}  // namespace vdla::pipeline::device
