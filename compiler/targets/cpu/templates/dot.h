// SPDX-License-Identifier: Apache-2.0
// The schedule template of int8 convolutions and dense layers on a CPU, by the intrinsic dot4
// (compiler/tensorize/host_table.h): the lanes of a vector are output channels, and each step adds four
// products to every lane. int32 sums of `columns` neighbouring outputs times `vectors` of channels stay in
// registers over the whole reduction; then the output stage runs on whole vectors. Activations stay as the
// network has them, channels last.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/graph/ops.h"
#include "compiler/schedule/schedule.h"
#include "compiler/targets/cpu/profile.h"

namespace vdla::pipeline::cpu {

struct DotKnobs {
  std::int64_t lanes;    ///< output channels in a vector
  std::int64_t vectors;  ///< vectors of channels in registers
  std::int64_t columns;  ///< outputs side by side in registers
  bool rows_outside;  ///< all channels for a band of rows before the next, else all rows for a tile of them
  std::int64_t band = 1;   ///< rows of a band
  std::int64_t step = 1;   ///< dot products of a sum written out beside each other
  std::int64_t share = 1;  ///< number of the loop that threads share, from the outside, of those that run

  friend bool operator==(const DotKnobs&, const DotKnobs&) = default;
};

/// `columns` and `band` need not divide what they tile.
struct Dots {
  std::int64_t channels, columns;
  std::int64_t weight_bytes;
  std::int64_t rows = 1;    ///< rows of an image; 1: a dense layer
  std::int64_t images = 1;  ///< or rows of a dense layer's batch in front of the columns
  std::int64_t steps = 1;   ///< graph::dot_steps()
  std::int64_t work = 1;    ///< multiplications
};

/// Nothing where the channels fill no vector.
std::optional<DotKnobs> dot_default(const Dots& layer, const CpuProfile& profile);
/// Cycles, roughly.
double dot_cost(const Dots& layer, const DotKnobs& knobs, const CpuProfile& profile);

graph::DotLayout dot_layout(const DotKnobs& knobs, const CpuProfile& profile);

/// Schedules an `output` that is elementwise over `sums`, the sums of graph::express_dots().
void schedule_dots(schedule::Schedule& schedule, const expr::Tensor& output, const expr::Tensor& sums,
                   const DotKnobs& knobs, const CpuProfile& profile, bool parallel);

}  // namespace vdla::pipeline::cpu
