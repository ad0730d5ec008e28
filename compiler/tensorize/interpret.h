// SPDX-License-Identifier: Apache-2.0
// Meaning of intrinsic calls for the loop IR interpreter: the declared expression for a step, element by
// element for a copy.
#pragma once

#include <vector>

#include "compiler/intrinsics/intrinsic.h"
#include "compiler/loop/interpret.h"

namespace vdla::tensorize {

/// For loop::Interpreter. Throws UserError for a call that no declaration fits.
loop::IntrinsicHandler interpret_calls(std::vector<intrinsics::Intrinsic> table);

}  // namespace vdla::tensorize
