// SPDX-License-Identifier: Apache-2.0
#include "compiler/codegen/llvm/cpu.h"

#include "compiler/codegen/llvm/emit.h"

namespace vdla::codegen {
namespace {

using llvm::Value;

/// Larger buffers come from the heap, so that the stack stays small.
constexpr std::int64_t kStackBytes = 16 * 1024;
/// Cache line, and the longest vector.
constexpr std::uint64_t kAlign = 64;

}  // namespace

Value* Cpu::allocate(EmitState& s, const expr::Buffer& buffer) const {
  const auto bytes = static_cast<std::uint64_t>(expr::storage_size(buffer) * expr::bytes(buffer.dtype));
  llvm::BasicBlock& start = s.builder.GetInsertBlock()->getParent()->getEntryBlock();
  llvm::IRBuilder<> entry(&start, start.begin());
  if (bytes <= kStackBytes) {
    auto* storage = entry.CreateAlloca(entry.getInt8Ty(), entry.getInt64(bytes), buffer.name);
    storage->setAlignment(llvm::Align(kAlign));
    return storage;
  }
  llvm::Type* pointer = llvm::PointerType::get(s.context(), 0);
  llvm::IntegerType* size = s.module.getDataLayout().getIntPtrType(s.context());  // size_t of the machine
  auto allocate = s.module.getOrInsertFunction("aligned_alloc", pointer, size, size);
  llvm::cast<llvm::Function>(allocate.getCallee())->addRetAttr(llvm::Attribute::NoAlias);
  auto* storage = entry.CreateCall(allocate,
                                   {llvm::ConstantInt::get(size, kAlign),
                                    llvm::ConstantInt::get(size, (bytes + kAlign - 1) / kAlign * kAlign)},
                                   buffer.name);
  storage->addRetAttr(llvm::Attribute::getWithAlignment(s.context(), llvm::Align(kAlign)));
  s.heap.push_back(storage);
  return storage;
}

Value* Cpu::function(EmitState& s, expr::Function function, const std::vector<Value*>& arguments) const {
  // Scalars as the interpreter computes them: by the C library.
  if (arguments[0]->getType()->isVectorTy())
    if (Value* value = emit_polynomial(s, function, arguments[0])) return value;
  return emit_libm(s, std::string(expr::name(function)), arguments);
}

void free_heap(EmitState& s) {
  for (Value* storage : s.heap)
    s.builder.CreateCall(s.module.getOrInsertFunction("free", s.builder.getVoidTy(), storage->getType()),
                         {storage});
}

}  // namespace vdla::codegen
