// SPDX-License-Identifier: Apache-2.0
// Statements and functions. Each function becomes two: name.body with one no-alias pointer per parameter, so
// that LLVM may reorder loads and stores, and name, which unpacks the array of pointers.
#include "compiler/codegen/llvm/emit.h"

#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include "support/error.h"
#include "support/overloaded.h"

namespace vdla::codegen {
namespace {

using expr::DType;
using llvm::Value;
using loop::StmtPtr;

/// Larger buffers come from malloc, so that the stack stays small.
constexpr std::int64_t kStackBytes = 16 * 1024;
constexpr unsigned kAllocaAlign = 64;

void emit_stmt(EmitState& s, const StmtPtr& stmt);

/// "llvm.loop" metadata that carries the loop's kind to the optimiser.
llvm::MDNode* loop_metadata(llvm::LLVMContext& context, loop::ForKind kind) {
  const char* wish = nullptr;
  switch (kind) {
    case loop::ForKind::Serial:
    case loop::ForKind::Parallel:
      return nullptr;
    case loop::ForKind::Unrolled:
      wish = "llvm.loop.unroll.enable";
      break;
    case loop::ForKind::Vectorized:
      wish = "llvm.loop.vectorize.enable";
      break;
  }
  llvm::SmallVector<llvm::Metadata*, 2> property = {llvm::MDString::get(context, wish)};
  if (kind == loop::ForKind::Vectorized) {
    property.push_back(llvm::ConstantAsMetadata::get(llvm::ConstantInt::getTrue(context)));
  }
  llvm::MDNode* node = llvm::MDNode::getDistinct(context, {nullptr, llvm::MDNode::get(context, property)});
  node->replaceOperandWith(0, node);
  return node;
}

void emit_for(EmitState& s, const loop::For& n) {
  auto& b = s.builder;
  llvm::Function* function = b.GetInsertBlock()->getParent();
  Value* min = emit_expr(s, n.min);
  Value* end = b.CreateAdd(min, emit_expr(s, n.extent));
  auto* before = b.GetInsertBlock();
  auto* body = llvm::BasicBlock::Create(s.context(), n.var->name, function);
  auto* after = llvm::BasicBlock::Create(s.context(), n.var->name + ".end", function);
  b.CreateCondBr(b.CreateICmpSLT(min, end), body, after);
  b.SetInsertPoint(body);
  auto* counter = b.CreatePHI(min->getType(), 2, n.var->name);
  counter->addIncoming(min, before);
  s.variables[n.var.get()] = counter;
  emit_stmt(s, n.body);
  Value* next = b.CreateNSWAdd(counter, llvm::ConstantInt::get(counter->getType(), 1));
  counter->addIncoming(next, b.GetInsertBlock());
  auto* back = b.CreateCondBr(b.CreateICmpSLT(next, end), body, after);
  if (auto* metadata = loop_metadata(s.context(), n.kind))
    back->setMetadata(llvm::LLVMContext::MD_loop, metadata);
  b.SetInsertPoint(after);
}

void emit_allocate(EmitState& s, const loop::Allocate& n) {
  auto& b = s.builder;
  const std::int64_t bytes = expr::storage_size(*n.buffer) * expr::bytes(n.buffer->dtype);
  llvm::Type* pointer = llvm::PointerType::get(s.context(), 0);
  if (bytes <= kStackBytes) {
    llvm::IRBuilder<> entry(&b.GetInsertBlock()->getParent()->getEntryBlock(),
                            b.GetInsertBlock()->getParent()->getEntryBlock().begin());
    auto* storage =
        entry.CreateAlloca(b.getInt8Ty(), b.getInt64(static_cast<std::uint64_t>(bytes)), n.buffer->name);
    storage->setAlignment(llvm::Align(kAllocaAlign));
    s.buffers[n.buffer.get()] = storage;
    emit_stmt(s, n.body);
    return;
  }
  auto allocate = s.module.getOrInsertFunction("malloc", pointer, b.getInt64Ty());
  llvm::cast<llvm::Function>(allocate.getCallee())->addRetAttr(llvm::Attribute::NoAlias);
  Value* storage = b.CreateCall(allocate, {b.getInt64(static_cast<std::uint64_t>(bytes))}, n.buffer->name);
  s.buffers[n.buffer.get()] = storage;
  emit_stmt(s, n.body);
  b.CreateCall(s.module.getOrInsertFunction("free", b.getVoidTy(), pointer), {storage});
}

void emit_store(EmitState& s, const loop::Store& n) {
  Value* value = emit_expr(s, n.value);
  if (n.buffer->dtype == DType::Bool) value = s.builder.CreateZExt(value, s.builder.getInt8Ty());
  s.builder.CreateStore(value, element_pointer(s, *n.buffer, n.indices));
}

void emit_if(EmitState& s, const loop::IfThenElse& n) {
  auto& b = s.builder;
  llvm::Function* function = b.GetInsertBlock()->getParent();
  Value* condition = emit_expr(s, n.condition);
  auto* then_block = llvm::BasicBlock::Create(s.context(), "then", function);
  auto* join = llvm::BasicBlock::Create(s.context(), "join", function);
  auto* else_block = n.else_body ? llvm::BasicBlock::Create(s.context(), "else", function) : join;
  b.CreateCondBr(condition, then_block, else_block);
  b.SetInsertPoint(then_block);
  emit_stmt(s, n.then_body);
  b.CreateBr(join);
  if (n.else_body) {
    b.SetInsertPoint(else_block);
    emit_stmt(s, n.else_body);
    b.CreateBr(join);
  }
  b.SetInsertPoint(join);
}

void emit_stmt(EmitState& s, const StmtPtr& stmt) {
  std::visit(overloaded{
                 [&](const loop::For& n) { emit_for(s, n); },
                 [&](const loop::Allocate& n) { emit_allocate(s, n); },
                 [&](const loop::Store& n) { emit_store(s, n); },
                 [&](const loop::IfThenElse& n) { emit_if(s, n); },
                 [&](const loop::Seq& n) {
                   for (const StmtPtr& child : n.body) emit_stmt(s, child);
                 },
                 [&](const loop::Tensorize& n) { emit_stmt(s, n.body); },
                 [&](const loop::IntrinsicCall& n) {
                   throw UserError("intrinsic '" + n.name +
                                   "' has no lowering for the CPU; compile its function for the device");
                 },
             },
             stmt->node);
}

/// name.body(ptr noalias p0, ...)
llvm::Function* emit_body(llvm::Module& module, const loop::Func& func) {
  EmitState s(module);
  auto& context = module.getContext();
  std::vector<llvm::Type*> types(func.params.size(), llvm::PointerType::get(context, 0));
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), types, false);
  auto* function = llvm::Function::Create(type, llvm::Function::InternalLinkage, func.name + ".body", module);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  for (std::size_t i = 0; i < func.params.size(); ++i) {
    const auto& param = func.params[i];
    auto* argument = function->getArg(static_cast<unsigned>(i));
    argument->setName(param.buffer->name);
    argument->addAttr(llvm::Attribute::NoAlias);
    argument->addAttr(llvm::Attribute::NonNull);
    if (param.direction == loop::Direction::In) argument->addAttr(llvm::Attribute::ReadOnly);
    s.buffers[param.buffer.get()] = argument;
  }
  s.builder.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function));
  emit_stmt(s, func.body);
  s.builder.CreateRetVoid();
  return function;
}

}  // namespace

llvm::Type* register_type(llvm::LLVMContext& context, DType dtype) {
  if (expr::is_float(dtype)) return llvm::Type::getFloatTy(context);
  return llvm::Type::getIntNTy(context, static_cast<unsigned>(expr::bits(dtype)));
}

llvm::Type* memory_type(llvm::LLVMContext& context, DType dtype) {
  return dtype == DType::Bool ? llvm::Type::getInt8Ty(context) : register_type(context, dtype);
}

Value* element_pointer(EmitState& s, const expr::Buffer& buffer, const std::vector<expr::ExprPtr>& indices) {
  const auto found = s.buffers.find(&buffer);
  VDLA_CHECK(found != s.buffers.end()) << "buffer " << buffer.name << " is not bound";
  auto& b = s.builder;
  Value* offset = b.getInt64(0);
  for (std::size_t d = 0; d < indices.size(); ++d) {
    Value* index = emit_expr(s, indices[d]);
    offset = b.CreateNSWAdd(offset,
                            b.CreateNSWMul(index, b.getInt64(static_cast<std::uint64_t>(buffer.strides[d]))));
  }
  return b.CreateInBoundsGEP(memory_type(s.context(), buffer.dtype), found->second, offset);
}

void emit_function(llvm::Module& module, const loop::Func& func) {
  llvm::Function* body = emit_body(module, func);
  auto& context = module.getContext();
  llvm::IRBuilder<> b(context);
  auto* pointer = llvm::PointerType::get(context, 0);
  auto* function = llvm::Function::Create(llvm::FunctionType::get(b.getVoidTy(), {pointer}, false),
                                          llvm::Function::ExternalLinkage, func.name, module);
  b.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function));
  std::vector<Value*> arguments;
  for (std::size_t i = 0; i < func.params.size(); ++i)
    arguments.push_back(b.CreateLoad(pointer, b.CreateConstInBoundsGEP1_64(pointer, function->getArg(0), i)));
  b.CreateCall(body, arguments);
  b.CreateRetVoid();
  std::string message;
  llvm::raw_string_ostream stream(message);
  VDLA_CHECK(!llvm::verifyModule(module, &stream)) << "LLVM refuses " << func.name << ": " << message;
}

}  // namespace vdla::codegen
