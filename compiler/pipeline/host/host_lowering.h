// SPDX-License-Identifier: Apache-2.0
// A table of lowering (compiler/passes/target.h) over a kernel of a compile.
#pragma once

#include "compiler/loop/stmt.h"
#include "compiler/passes/target.h"
#include "compiler/pipeline/observe/observe.h"

namespace vdla::pipeline {

/// Lowers a function of host_kernel() to what machine code is made of, or by another table to what code for
/// that target is made of. Where a Watch is given, the result of each row is verified and shown.
loop::Func lowered_kernel(const loop::Func& func, const Watch& watch,
                          const passes::Target& target = passes::cpu_target());

}  // namespace vdla::pipeline
