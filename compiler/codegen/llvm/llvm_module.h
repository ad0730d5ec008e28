// SPDX-License-Identifier: Apache-2.0
// Optimisation and code of a module by LLVM, for every machine; private to this folder.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <string>

namespace vdla::codegen {

/// UserError for a target that LLVM does not know.
std::unique_ptr<llvm::TargetMachine> make_machine(const std::string& triple, const std::string& cpu,
                                                  const std::string& features, llvm::Reloc::Model model);
/// An empty one for the machine.
std::unique_ptr<llvm::Module> start_module(llvm::LLVMContext& context, const llvm::TargetMachine& machine);
/// Every function may use what the machine has.
void name_cpu(llvm::Module& module, const llvm::TargetMachine& machine);
/// InternalError where LLVM refuses the code, of which `name` is a function.
void verify_module(const llvm::Module& module, const std::string& name);
void optimise_module(llvm::Module& module, llvm::TargetMachine& machine);
/// Machine code, or its text.
llvm::SmallVector<char, 0> generate(llvm::Module& module, llvm::TargetMachine& machine,
                                    llvm::CodeGenFileType type);

}  // namespace vdla::codegen
