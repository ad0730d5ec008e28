// SPDX-License-Identifier: Apache-2.0
// Loop IR -> PTX, of the launches of a function that went over the table of lowering for cuda
// (compiler/passes/target.h), by LLVM. PTX is the text that the driver of an NVIDIA GPU compiles for the GPU
// that is there; ours asks for compute capability 8.0 (Ampere), which every later GPU has.
//
// Indices are 32 bits wide where they are proven to fit, and accesses of several elements are told the
// alignment that their index has. exp, log, tanh and erf are the kit's own polynomials, so that nothing of
// CUDA is needed to make PTX. 'vdla opt --lower=cuda --ptx FILE' shows it.
#pragma once

#include <string>

#include "compiler/grid/kernels.h"
#include "compiler/loop/stmt.h"

namespace vdla::codegen {

/// UserError that names a mathematical function which it has no code for; InternalError naming the row of the
/// table of lowering that was left out where a rule does not hold.
std::string to_ptx(const loop::Func& func, const grid::Launches& launches);

/// Memory of a block that a launch has to ask for: all of it, where it is more than 48 KB; else 0.
std::int64_t ptx_dynamic_bytes(const grid::Kernel& kernel);

/// The name of a kernel in the text.
std::string ptx_name(const grid::Kernel& kernel);

}  // namespace vdla::codegen
