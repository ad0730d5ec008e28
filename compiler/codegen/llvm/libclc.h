// SPDX-License-Identifier: Apache-2.0
// libclc, LLVM's library of OpenCL's functions, as bitcode: what PTX has of mathematics beside exp, log, tanh
// and erf of f32. It is read where a kernel asks for one of its functions; building the kit needs nothing of
// it. Private to this folder.
#pragma once

#include <llvm/IR/Module.h>

#include <string>
#include <vector>

#include "compiler/expr/operators.h"

namespace vdla::codegen {

/// Path at which it is looked for: VDLA_LIBCLC of the environment, or its place in Debian's packages.
std::string libclc_path();
bool has_libclc();

/// A function of it in the module, declared: f32 or f64 to the same.
llvm::FunctionCallee libclc_function(llvm::Module& module, expr::Function function,
                                     const std::vector<llvm::Type*>& arguments);

/// Puts the bodies of those that are declared into the module. UserError for a file that is no such library.
void link_libclc(llvm::Module& module);

}  // namespace vdla::codegen
