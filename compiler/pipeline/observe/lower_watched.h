// SPDX-License-Identifier: Apache-2.0
// Lowering from a schedule to simplified loops, with the result of each step shown to a Watch.
#pragma once

#include <string>
#include <vector>

#include "compiler/expr/tensor.h"
#include "compiler/loop/stmt.h"
#include "compiler/pipeline/observe/observe.h"
#include "compiler/schedule/schedule.h"

namespace vdla::pipeline {

/// Result of lower::lower(). Passes Schedule, Lower and SimplifyLowered are shown.
loop::Func lower_watched(const schedule::Schedule& schedule, const std::vector<expr::Tensor>& args,
                         const std::string& name, const Watch& watch);

}  // namespace vdla::pipeline
