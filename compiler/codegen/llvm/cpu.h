// SPDX-License-Identifier: Apache-2.0
// CPUs, which run loops in order; private to this folder.
#pragma once

#include "compiler/codegen/llvm/backend.h"

namespace vdla::codegen {

class Cpu final : public Backend {
 public:
  explicit Cpu(const Features& features) : features_(features) {}

  Features features() const override { return features_; }
  const Grid* grid() const override { return nullptr; }
  /// On the stack, or where that is too much from the heap: free_heap() gives it back.
  llvm::Value* allocate(EmitState& state, const expr::Buffer& buffer) const override;
  /// Function of vectors by polynomials where there is one, else by the C library.
  llvm::Value* function(EmitState& state, expr::Function function,
                        const std::vector<llvm::Value*>& arguments) const override;

 private:
  Features features_;
};

}  // namespace vdla::codegen
