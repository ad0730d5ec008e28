// SPDX-License-Identifier: Apache-2.0
// Operations of a thread in PTX: dp4a, of compute capability 6.1. LLVM has no name for it before version 20.
#include <llvm/IR/InlineAsm.h>

#include "compiler/codegen/llvm/emit.h"

namespace vdla::codegen {

void emit_of_thread(EmitState& s, const loop::IntrinsicCall& call) {
  auto& b = s.builder;
  llvm::Type* word = b.getInt32Ty();
  const auto four_of = [&](const loop::Region& region) {
    return emit_wide_load(s, word, *region.buffer, region.origin);
  };
  llvm::Value *x = four_of(call.inputs[0]), *y = four_of(call.inputs[1]);
  const loop::Region& sum = call.outputs[0];
  llvm::Value* place = element_pointer(s, *sum.buffer, sum.origin);
  const llvm::Align align(4);
  auto* type = llvm::FunctionType::get(word, {word, word, word}, false);
  auto* dp4a = llvm::InlineAsm::get(type, "dp4a.s32.s32 $0, $1, $2, $3;", "=r,r,r,r", false);
  llvm::CallInst* sums = b.CreateCall(type, dp4a, {x, y, b.CreateAlignedLoad(word, place, align)});
  // Else no load would be moved across it, and those of neighbours could not become one.
  sums->setDoesNotAccessMemory();
  sums->setDoesNotThrow();
  sums->addFnAttr(llvm::Attribute::WillReturn);
  b.CreateAlignedStore(sums, place, align);
}

}  // namespace vdla::codegen
