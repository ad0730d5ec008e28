// SPDX-License-Identifier: Apache-2.0
// Loop IR -> machine code of this CPU for the emulator of GPUs (runtime/gpu/emulator.h), for functions that
// went over a table of lowering for a grid (compiler/passes/target.h). Emission and optimisation are those of
// PTX; a thread's numbers, memory of its block and barriers are asked of the caller.
//
// Each kernel is there twice: as it is, and with a call before each access to memory that threads have
// in common.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "compiler/grid/kernels.h"
#include "compiler/loop/stmt.h"

namespace vdla::codegen {

/// An ELF object. Lines in it are those of loop::to_string(func). InternalError naming the row of the table
/// of lowering that was left out where a rule does not hold.
std::vector<std::byte> to_emulated(const loop::Func& func);

/// The name of a kernel in the object.
std::string emulated_name(const grid::Kernel& kernel);

/// Bytes of a block's memory as the code places it.
std::int64_t emulated_shared_bytes(const grid::Kernel& kernel);

}  // namespace vdla::codegen
