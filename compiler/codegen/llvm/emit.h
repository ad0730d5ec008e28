// SPDX-License-Identifier: Apache-2.0
// Loop IR -> LLVM IR; private to this folder.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <unordered_map>

#include "compiler/loop/stmt.h"

namespace vdla::codegen {

/// Adds `func` to the module under its name.
void emit_function(llvm::Module& module, const loop::Func& func);

/// Values of the function being emitted.
struct EmitState {
  llvm::Module& module;
  llvm::IRBuilder<> builder;
  std::unordered_map<const expr::Variable*, llvm::Value*> variables;
  std::unordered_map<const expr::Buffer*, llvm::Value*> buffers;

  explicit EmitState(llvm::Module& m) : module(m), builder(m.getContext()) {}
  llvm::LLVMContext& context() { return module.getContext(); }
};

/// Type of a value in a register: bool is i1.
llvm::Type* register_type(llvm::LLVMContext& context, expr::DType dtype);
/// Type of an element in memory: bool is i8.
llvm::Type* memory_type(llvm::LLVMContext& context, expr::DType dtype);
llvm::Value* element_pointer(EmitState& state, const expr::Buffer& buffer,
                             const std::vector<expr::ExprPtr>& indices);
llvm::Value* emit_expr(EmitState& state, const expr::ExprPtr& e);

}  // namespace vdla::codegen
