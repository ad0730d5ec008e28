// SPDX-License-Identifier: Apache-2.0
// Memory @held: what threads have read for a later step and not yet stored ('double-buffer' makes it where a
// schedule asks for hold). In loop IR it is one buffer for a block, with an element for each thread and each
// of its pieces, so that loops in order mean what they say. Each thread touches the elements at its own
// number alone, a row, and in a kernel it has that row as memory of its own: registers.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "compiler/loop/stmt.h"

namespace vdla::grid {

inline constexpr const char* kHeldScope = "held";

/// Elements of a thread's row, by buffer. UserError where indices do not say that each thread has a row of
/// its own: after 'flatten-storage', an offset is a sum of multiples of thread numbers, the same wherever
/// the buffer is touched, and a place in the row.
std::unordered_map<const loop::Buffer*, std::int64_t> held_rows(const loop::StmtPtr& kernel);

/// The kernel with the rows in memory @local.
loop::StmtPtr with_own_rows(const loop::StmtPtr& kernel);

}  // namespace vdla::grid
