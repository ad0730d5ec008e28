// SPDX-License-Identifier: Apache-2.0
// Barriers for cooperative memory. Threads share what lives in memory @shared, so between a write and a read
// (or a second write) of it by other threads stands a barrier; also around the back edge of loops. A barrier
// where only some threads would arrive is refused. On a machine that runs threads one after the other a
// barrier does nothing.
#pragma once

#include "compiler/loop/stmt.h"

namespace vdla::passes {

loop::Func insert_barriers(const loop::Func& func);

}  // namespace vdla::passes
