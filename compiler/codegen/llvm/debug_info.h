// SPDX-License-Identifier: Apache-2.0
// Line tables (DWARF) whose source is loop IR as text; private to this folder.
#pragma once

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <string>
#include <unordered_map>

#include "compiler/loop/stmt.h"

namespace vdla::codegen {

/// Function with a node of its own for each statement; equal ones share one else.
loop::Func with_distinct_statements(const loop::Func& func);

/// Debug information of one module. Functions stand in the file in the order in which they are added.
class DebugInfo {
 public:
  DebugInfo(llvm::Module& module, const std::string& source_file);

  /// Function with a line of its own for each statement.
  loop::Func add(const loop::Func& func);
  /// Makes `function` begin at the line of the statement, or of the head of the function that was added last
  /// (null), and instructions of `builder` belong to it.
  void enter(llvm::Function& function, llvm::IRBuilder<>& builder, const loop::Stmt* at = nullptr);
  /// Instructions of `builder` are the statement's from now on; sequences have no line.
  void go_to(llvm::IRBuilder<>& builder, const loop::Stmt& stmt);
  /// After the last function.
  void finish() { builder_.finalize(); }

 private:
  unsigned line_of(const loop::Stmt* stmt) const;

  llvm::DIBuilder builder_;
  llvm::DIFile* file_;
  unsigned head_ = 1, next_ = 1;  ///< lines of the function that was added last, and behind it
  std::unordered_map<const loop::Stmt*, unsigned> lines_;
};

}  // namespace vdla::codegen
