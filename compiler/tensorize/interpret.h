// SPDX-License-Identifier: Apache-2.0
// What intrinsic calls mean to the loop IR interpreter: the declared expression for a step, element by
// element for a copy.
#pragma once

#include <vector>

#include "compiler/loop/interpret.h"
#include "compiler/tensorize/intrinsic.h"

namespace vdla::tensorize {

/// For loop::Interpreter. Throws UserError for a call that no declaration fits.
loop::IntrinsicHandler interpret_calls(std::vector<Intrinsic> table);

}  // namespace vdla::tensorize
