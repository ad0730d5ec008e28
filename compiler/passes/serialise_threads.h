// SPDX-License-Identifier: Apache-2.0
// Threads in order, for a machine without a grid: loops over blocks and threads, and parallel loops inside of
// parallel ones, run in order; barriers then wait for nobody and go.
#pragma once

#include "compiler/loop/stmt.h"

namespace vdla::passes {

loop::Func serialise_threads(const loop::Func& func);

}  // namespace vdla::passes
