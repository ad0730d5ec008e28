// SPDX-License-Identifier: Apache-2.0
// Functions that a target reads, and runs where that takes no time. Apart from target.h: what was fuzzed of a
// target that has nothing of the compiler counts on when the compiler changes.
#pragma once

#include <cstdint>

#include "compiler/loop/stmt.h"

namespace vdla::fuzzing {

/// Iterations of all loops of a function, counted up to 100,001. A function with a bound that is no constant,
/// or with a buffer of more than 1 MiB, counts as one of 100,001.
std::int64_t work_of(const loop::Func& func);

/// Whether the function is so small that interpreting it takes no time worth mentioning: all bounds of loops
/// constant, at most 100,000 iterations and 1 MiB in each buffer.
bool is_small(const loop::Func& func);

/// Runs the function in the interpreter on zeroed memory. UserError for an index out of bounds.
void interpret(const loop::Func& func);

}  // namespace vdla::fuzzing
