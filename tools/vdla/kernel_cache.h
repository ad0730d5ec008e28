// SPDX-License-Identifier: Apache-2.0
// What drivers of OpenCL are told in variables of the environment.
#pragma once

#include <memory>

#include "support/temporary.h"

namespace vdla::tools {

/// PoCL 3.1 has several ways to run the threads of a block. One ended the process over a barrier in a loop;
/// "auto", which writes the threads of small blocks out, gave wrong values of a kernel on which interpreter,
/// emulator and oclgrind agree (test PaddedHalves). "loopvec" is right there and in all other tests. Not
/// where somebody says otherwise.
void take_barriers_in_loops();

/// That, and: PoCL keeps what it has compiled, below the home folder; a check has no use for that: it goes
/// with the result. Null where somebody says where to keep kernels.
std::unique_ptr<Temporary> keep_no_kernels();

}  // namespace vdla::tools
