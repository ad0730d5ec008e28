// SPDX-License-Identifier: Apache-2.0
// Rules of loop IR, checked between passes.
#pragma once

#include <string>

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

/// Verifies what `pass` ("pass 'unroll'") made of `func`, which verify() takes. A fault is the pass's,
/// InternalError, unless func may have it already, UserError: it has an index under a condition that cannot
/// be shown to stay inside of its buffer, or an index is at fault and func has one of that buffer without
/// bounds, which the pass may have made known.
void verify_result(const std::string& pass, const Func& func, const Func& result);

}  // namespace vdla::loop
