// SPDX-License-Identifier: Apache-2.0
// The template of convolutions and products: a block computes a tile of channels, rows and columns, whose
// data and weights its threads fetch into shared memory together, some terms of the sums at a time; each
// thread keeps a few sums in registers. A product of matrices is one row of columns; what else the output
// has (images, batches) is blocks. With virtual threads a thread has several parts of the tile, as in Figure
// 7 of the TVM paper. A depthwise convolution fetches once, since it adds up no channels.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/knobs/space.h"
#include "compiler/schedule/schedule.h"
#include "compiler/targets/gpu/profile.h"

namespace vdla::pipeline::gpu {

/// Roles of the dimensions of the sums.
struct TileDims {
  std::size_t channel;
  std::optional<std::size_t> row, column;
  std::optional<std::size_t> terms;  ///< reduce axis of which a part is fetched at a time
  bool has_stored_data = false;      ///< the first operand is memory that another kernel has filled
  bool takes_dp4a = false;           ///< the machine has it
};

/// Along one of them.
struct Tile {
  std::int64_t threads = 1;  ///< threads of a block
  std::int64_t each = 1;     ///< neighbours that a thread has
  std::int64_t virtuals = 1;
  std::int64_t size() const { return threads * each * virtuals; }
  friend bool operator==(const Tile&, const Tile&) = default;
};

/// Operands that go through shared memory.
enum class Fetch : std::uint8_t { Both, Data, Weights, Neither };

/// Tiles need not divide what they tile.
struct TileKnobs {
  Tile channel, row, column;  ///< rows have no virtual threads
  std::int64_t step = 1;      ///< terms that are fetched at a time
  Fetch fetch = Fetch::Neither;
  bool pad = false;         ///< strides in shared memory, so that neighbouring threads read different banks
  std::int64_t vector = 1;  ///< neighbours in memory that a thread fetches at once, where an operand has them
  std::int64_t stages = 1;  ///< 2 to 4: the next steps are fetched while this one is computed
  bool held = false;        ///< whether fetched values wait in registers meanwhile, of two stages
  /// Parts of the terms, which blocks of their own sum up; a second kernel adds these.
  std::int64_t parts = 1;

  std::int64_t threads() const { return channel.threads * row.threads * column.threads; }
  /// Sums of a thread.
  std::int64_t sums() const {
    return channel.each * channel.virtuals * row.each * column.each * column.virtuals;
  }
  friend bool operator==(const TileKnobs&, const TileKnobs&) = default;
};

/// An operand of the sums: how many elements a tile reads of it.
struct TileOperand {
  struct Dimension {
    std::int64_t extent;
    bool is_whole = false;  ///< wherever the tile is
    /// How far one step of channel, row, column, and of the terms that are cut goes; the rest goes at once.
    std::int64_t channel = 0, row = 0, column = 0, terms = 0, rest = 0;
    std::int64_t first = 0;  ///< index of the first element of the first tile
    bool is_apart = false;   ///< neighbouring threads are further apart than along what lies inside of it
  };
  /// Source of a copy: memory as it is, memory with a border that does not cut the last dimension, or what is
  /// computed for the copy.
  enum class From : std::uint8_t { Memory, Bordered, Computed };

  std::vector<Dimension> dimensions;
  std::int64_t element_bytes;
  From from = From::Computed;

  /// Padding included.
  std::int64_t elements(const TileKnobs& knobs) const;
  /// Elements that padding leaves free behind each index of the dimension: a word, or as many as are fetched
  /// at once.
  std::int64_t free_behind(std::size_t dimension, const TileKnobs& knobs) const;
  /// Neighbours that a thread fetches at once: as many as the knob wants, or 1 where they would not lie
  /// together and aligned on both sides, or would need a guard for each.
  std::int64_t vector(const TileKnobs& knobs) const;
};

/// Layer as the template sees it.
struct Tiles {
  std::int64_t channels = 1, rows = 1, columns = 1, outer = 1;  ///< extents of the output
  std::int64_t terms = 1;                                       ///< terms of the axis that is cut
  std::int64_t taps = 1;                                        ///< the other terms
  bool channels_last = false;                                   ///< neighbours in memory, else columns are
  bool has_dots = false;              ///< bytes whose neighbouring terms are words, on a machine with dp4a
  std::vector<TileOperand> operands;  ///< data, weights
};
Tiles tiles_of(const expr::Tensor& sum, const schedule::Stage& stage, const TileDims& dims);

/// The best by a closed-form model of arithmetic, memory, and how many threads there are.
TileKnobs tiles_default(const Tiles& layer, const GpuProfile& profile);
/// Cycles, roughly.
double tiles_cost(const Tiles& layer, const TileKnobs& knobs, const GpuProfile& profile);
KnobSpace tile_knobs(const Tiles& layer, const GpuProfile& profile);
Point point_of(const Tiles& layer, const TileKnobs& knobs);
TileKnobs tiles_at(const Tiles& layer, const Point& point);

/// Whether the sums are taken by dp4a: where steps are whole words, and operands memory.
bool uses_dp4a(const Tiles& layer, const TileKnobs& knobs);

/// Schedules an `output` that reads `sum` at its own place.
void schedule_tiles(schedule::Schedule& s, const expr::Tensor& output, const expr::Tensor& sum,
                    const TileDims& dims, const TileKnobs& knobs);

}  // namespace vdla::pipeline::gpu
