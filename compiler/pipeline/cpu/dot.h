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
#include "compiler/pipeline/cpu/machine.h"
#include "compiler/schedule/schedule.h"

namespace vdla::pipeline::cpu {

struct DotKnobs {
  std::int64_t lanes;    ///< output channels in a vector
  std::int64_t vectors;  ///< of channels in registers
  std::int64_t columns;  ///< outputs side by side in registers
  bool rows_outside;     ///< all channels for a row before the next row, else all rows for a tile of channels

  friend bool operator==(const DotKnobs&, const DotKnobs&) = default;
};

/// For `channels` output channels, outputs in rows of `columns`, and so many bytes of weights. Nothing where
/// the channels fill no vector.
std::optional<DotKnobs> dot_default(std::int64_t channels, std::int64_t columns, std::int64_t weight_bytes,
                                    const Machine& machine);

graph::DotLayout dot_layout(const DotKnobs& knobs, const Machine& machine);

/// Schedules an `output` that is elementwise over `sums`, the sums of graph::express_dots().
void schedule_dots(schedule::Schedule& schedule, const expr::Tensor& output, const expr::Tensor& sums,
                   const DotKnobs& knobs, const Machine& machine, bool parallel);

}  // namespace vdla::pipeline::cpu
