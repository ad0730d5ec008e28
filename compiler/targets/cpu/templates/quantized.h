// SPDX-License-Identifier: Apache-2.0
// The default schedule of int8 convolutions and dense layers on a CPU: the lanes of a vector are output
// channels (weights have those last, packed at compile time), int32 sums of a tile of columns stay in
// registers, and the output stage runs on whole vectors.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/schedule/schedule.h"
#include "compiler/targets/cpu/profile.h"

namespace vdla::pipeline::cpu {

struct QuantizedKnobs {
  std::int64_t lanes, vectors, columns;
  bool columns_inside =
      false;              ///< all columns for a tile of channels, else all channels for a tile of columns
  std::int64_t step = 1;  ///< iterations of the innermost loop of the reduction written out

  friend bool operator==(const QuantizedKnobs&, const QuantizedKnobs&) = default;
};

/// For results whose last dimensions are columns and channels. Nothing where channels fill no vector.
std::optional<QuantizedKnobs> quantized_default(std::int64_t channels, std::int64_t columns,
                                                const CpuProfile& profile);

/// Schedules an `output` that is elementwise over `sum`, both with the channels last.
void schedule_quantized(schedule::Schedule& schedule, const expr::Tensor& output, const expr::Tensor& sum,
                        const QuantizedKnobs& knobs, bool parallel);

}  // namespace vdla::pipeline::cpu
