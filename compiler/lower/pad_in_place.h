// SPDX-License-Identifier: Apache-2.0
// Stages that store padding around another one, which lies in their middle.
#pragma once

#include "compiler/lower/stage_plan.h"

namespace vdla::lower {

/// Finds what each stage that pads in place stores, and around which stage, from its body. Called before
/// regions are known. UserError where the body is not that of padding.
void find_padding(Plan& plan);

/// Gives the stage in the middle the buffer of the padded one, and its indices there. UserError, with both
/// stages and the rule, where an element would be lost:
///   - both are computed at the same loop, in the same memory, and share storage with no other stage;
///   - only the padded stage reads the one in the middle, which computes nothing beyond the region that the
///     padded one has there.
void pad_in_place(Plan& plan);

}  // namespace vdla::lower
