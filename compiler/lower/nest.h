// SPDX-License-Identifier: Apache-2.0
// From a plan to statements: loop nests with their producers, allocations and guards.
#pragma once

#include <utility>
#include <vector>

#include "compiler/lower/plan.h"

namespace vdla::lower {

/// `params` are the buffers of placeholders and outputs.
loop::StmtPtr build_nests(const Plan& plan,
                          const std::vector<std::pair<expr::Tensor, expr::BufferPtr>>& params,
                          UniqueNames& names);

}  // namespace vdla::lower
