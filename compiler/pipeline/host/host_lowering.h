// SPDX-License-Identifier: Apache-2.0
// A table of lowering (compiler/passes/target.h) over a kernel of a compile.
#pragma once

#include "compiler/loop/stmt.h"
#include "compiler/passes/target.h"
#include "compiler/pipeline/observe/observe.h"

namespace vdla::pipeline {

/// What machine code is made of, of a function of host_kernel(); by another table, what code for that target
/// is made of. Where somebody watches, what each row made is verified and shown.
loop::Func lowered_kernel(const loop::Func& func, const Watch& watch,
                          const passes::Target& target = passes::cpu_target());

}  // namespace vdla::pipeline
