// SPDX-License-Identifier: Apache-2.0
// The table of lowering of CPUs (compiler/passes/target.h) over a kernel of a compile.
#pragma once

#include "compiler/loop/stmt.h"
#include "compiler/pipeline/observe/observe.h"

namespace vdla::pipeline {

/// What machine code is made of, of a function of host_kernel(). Where somebody watches, what each row made
/// is verified and shown.
loop::Func lowered_kernel(const loop::Func& func, const Watch& watch);

}  // namespace vdla::pipeline
