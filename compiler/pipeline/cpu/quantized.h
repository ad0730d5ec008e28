// SPDX-License-Identifier: Apache-2.0
// The default schedule of int8 convolutions and dense layers on a CPU: the lanes of a vector are output
// channels (weights have those last, packed at compile time), int32 sums of a tile of columns stay in
// registers, and the output stage runs on whole vectors.
#pragma once

#include "compiler/pipeline/cpu/machine.h"
#include "compiler/schedule/schedule.h"

namespace vdla::pipeline::cpu {

/// Schedules an `output` that is elementwise over `sum`, both with the channels last, and whether it could:
/// channels that fill no vector are left as they are.
bool schedule_quantized(schedule::Schedule& schedule, const expr::Tensor& output, const expr::Tensor& sum,
                        const Machine& machine, bool parallel);

}  // namespace vdla::pipeline::cpu
