// SPDX-License-Identifier: Apache-2.0
// Virtual threads, as on a machine that has none: the iterations of a vthread loop are independent, and run
// interleaved, statement by statement, as real threads would; what each allocates becomes its own slice of
// one buffer. The loop that is left around a statement is unrolled: for the device each virtual thread has
// instructions of its own, which tokens order within the thread only.
#pragma once

#include "compiler/loop/stmt.h"

namespace vdla::passes {

loop::Func lower_vthreads(const loop::Func& func);

}  // namespace vdla::passes
