// SPDX-License-Identifier: Apache-2.0
// Default schedules of everything that has no template: results are written by whole vectors, sums are kept
// in registers where the last dimension fills vectors, threads share the first dimension that there is.
#pragma once

#include "compiler/schedule/schedule.h"
#include "compiler/targets/cpu/profile.h"

namespace vdla::pipeline::cpu {

/// Schedules every stage that is not inlined. `output` may be elementwise over one `anchor`, a stage with a
/// reduction and of its shape, which is then computed a vector at a time; an undefined one: there is none.
void schedule_generic(schedule::Schedule& schedule, const expr::Tensor& output, const expr::Tensor& anchor,
                      const CpuProfile& profile, bool parallel);

}  // namespace vdla::pipeline::cpu
