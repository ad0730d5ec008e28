// SPDX-License-Identifier: Apache-2.0
// Stages that lie where earlier ones lay: whether they may, and in which buffer they are then.
#pragma once

#include "compiler/lower/stage_plan.h"

namespace vdla::lower {

/// Gives each stage that shares the storage of an earlier one the buffer of that one, and its indices there.
/// UserError, with both stages and the rule, where an element could be read after its place was taken:
///   - the later stage is computed inside of the loop that the earlier one is computed at, and after it,
///     over no larger region;
///   - each reader of the earlier one has read before the later one is stored: in the same iteration of the
///     loops around both, and, because no other iteration stores what it reads, in all others;
///   - a stage that itself reads the earlier one reads the element whose place it takes, or elements whose
///     place it never takes.
void share_storage(Plan& plan);

}  // namespace vdla::lower
