// SPDX-License-Identifier: Apache-2.0
// In front of expansion: virtual threads of the functions are interleaved (compiler/passes/lower_vthreads.h).
// Each thread has instructions and instances of its own then, which tokens order within the thread only: one
// thread's tile is loaded while another one's is computed.
#pragma once

#include "compiler/codegen/vdla/stream.h"

namespace vdla::codegen {

/// Leaves functions without vthread loops. UserError naming layer and loop.
void interleave_vthreads(Stream& stream);

}  // namespace vdla::codegen
