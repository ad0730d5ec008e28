// SPDX-License-Identifier: Apache-2.0
// Code that LLVM makes of one loop IR function: an object file, LLVM IR, PTX. With LLVM it exists, without it
// says so.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "compiler/loop/stmt.h"

namespace vdla::tools {

/// An object for this CPU, of a function that went through passes::cpu_target(). Its line tables lead to
/// `source_file`, which must hold the function as text.
std::vector<std::byte> kernel_object(const loop::Func& func, const std::string& source_file);

/// LLVM IR of such a function for this CPU, as text.
std::string kernel_llvm_ir(const loop::Func& func);

/// Kernels of a function that went through passes::cuda_target().
std::string kernel_ptx(const loop::Func& func);

}  // namespace vdla::tools
