// SPDX-License-Identifier: Apache-2.0
// Bound inference (compiler/lower/stage_plan.h has its result).
#pragma once

#include <utility>
#include <vector>

#include "compiler/lower/names.h"
#include "compiler/lower/stage_plan.h"

namespace vdla::lower {

/// `buffers` has the parameters; other stages get one here.
Plan make_plan(const schedule::Schedule& schedule,
               const std::vector<std::pair<expr::Tensor, expr::BufferPtr>>& params, UniqueNames& names);

}  // namespace vdla::lower
