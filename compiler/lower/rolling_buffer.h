// SPDX-License-Identifier: Apache-2.0
// Storage outside of the loops around a stage, whose iterations take its places by turns.
#pragma once

#include "compiler/lower/stage_plan.h"

namespace vdla::lower {

/// Gives stages with a rolling buffer, and those in their middle, the index of the place, and finds the sides
/// of padding that stay in a place: no other stage stores there, and they are the same in all iterations that
/// take the place. UserError, with the stage and the rule, where
///   - the stage is computed at the root, once;
///   - a loop around it runs its iterations at the same time, or it is double buffered.
void roll_buffers(Plan& plan);

}  // namespace vdla::lower
