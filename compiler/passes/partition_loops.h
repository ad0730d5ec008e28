// SPDX-License-Identifier: Apache-2.0
// Loop partitioning: where guards below a loop hold for all iterations of a part of its range, that part
// becomes a loop of its own, without them. An uneven split leaves a main part without guards and a remainder.
// Only serial and unrolled loops are cut: lanes of a vectorized one are masked, and the iterations of the
// others are handed out, once.
#pragma once

#include "compiler/loop/stmt.h"

namespace vdla::passes {

loop::Func partition_loops(const loop::Func& func);

}  // namespace vdla::passes
