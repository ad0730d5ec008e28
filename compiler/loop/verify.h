// SPDX-License-Identifier: Apache-2.0
// What loop IR may look like, checked between passes.
#pragma once

#include "compiler/loop/stmt.h"

namespace vdla::loop {

/// Throws UserError naming function, statement and rule when
///  - a buffer is used that is neither a parameter nor allocated around the use, or two in scope share a
///  name;
///  - a variable is used outside of its loop, or a loop takes a name that is in use around it;
///  - a parameter of direction in is written;
///  - a tensor is read or a reduction expression is left (both are tensor expressions);
///  - a vectorized, unrolled or vthread loop has no constant extent;
///  - a stored element's index is always outside of its dimension, as far as the ranges of the loops tell;
///  - or is outside in some iteration, where no condition stands around the store, all loops around it have
///  constant bounds, and the index is linear in their variables.
void verify(const Func& func);

/// The same, and throws too where an index under a condition cannot be shown to stay inside of its buffer.
/// Such a function may be right, but a pass that finds the condition superfluous makes one of it that is
/// refused.
void verify_guarded(const Func& func);

}  // namespace vdla::loop
