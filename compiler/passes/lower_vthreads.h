// SPDX-License-Identifier: Apache-2.0
// Virtual threads, for a machine that has no threads. The iterations of a vthread loop are independent. They
// run interleaved, statement by statement, as real threads would: each statement is written out once for each
// thread, and each thread has buffers of its own for what it allocates. So a machine whose units wait only
// for what they need (the device, by its tokens) works on one thread while another one waits. Memory @shared
// that all of them fill alike stays one buffer, which is filled once.
//
// A nest of loops and conditions around one intrinsic call counts as one statement: an instruction of the
// device runs such a nest whole.
#pragma once

#include "compiler/loop/stmt.h"

namespace vdla::passes {

/// Most threads of one loop.
inline constexpr std::int64_t kMostVthreads = 64;

/// UserError for a vthread loop without a constant extent of 1 to kMostVthreads, naming it.
loop::Func lower_vthreads(const loop::Func& func);

}  // namespace vdla::passes
