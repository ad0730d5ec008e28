// SPDX-License-Identifier: Apache-2.0
// Unrolling: a loop of kind unrolled becomes its body, once for each iteration, so that what its iterations
// share can stay in registers. One that would give more than kMostUnrolled stores runs in order instead, and
// so does one whose bounds are read from memory, which each copy would read anew. What copies know is folded:
// constants of indices, conditions, quotients.
#pragma once

#include <cstdint>

#include "compiler/loop/stmt.h"

namespace vdla::passes {

/// Stores and calls that a loop becomes at most when it and every unrolled loop in it are written out.
inline constexpr std::int64_t kMostUnrolled = 4096;

loop::Func unroll(const loop::Func& func);

}  // namespace vdla::passes
