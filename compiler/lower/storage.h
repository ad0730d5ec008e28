// SPDX-License-Identifier: Apache-2.0
// Stages that lie in the buffer of another one: what sharing storage and padding in place have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/lower/stage_plan.h"

namespace vdla::lower {

/// The plan of `stage`; null where it is computed inline.
StagePlan* find_plan(const Plan& plan, const schedule::Stage* stage);

/// Whether in every iteration the region of `p` in dimension `d` is among the `extent` elements from `first`
/// on.
bool lies_within(const Plan& plan, const StagePlan& p, std::size_t d, const expr::Affine& first,
                 std::int64_t extent);

/// `p` stores in the buffers of `holder`, where index `origin` of `p` is the first element.
void lie_in(const Plan& plan, StagePlan& p, const StagePlan& holder, std::vector<expr::Affine> origin);

}  // namespace vdla::lower
