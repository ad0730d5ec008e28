// SPDX-License-Identifier: Apache-2.0
// Parallel loops. The body becomes a function of its own, which gets what it uses of the surroundings by
// pointer arguments that do not alias, as the kernel itself does; in front of it stands the task that
// support/parallel.h describes, which takes these values out of a closure.
#include <algorithm>
#include <unordered_set>

#include "compiler/codegen/llvm/emit.h"
#include "compiler/loop/visit.h"

namespace vdla::codegen {
namespace {

using llvm::Value;

/// Surroundings that the body uses, in order of first use.
struct Captures {
  std::vector<const expr::Buffer*> buffers;
  std::vector<const expr::Variable*> variables;

  template <class T>
  static void add(std::vector<T>& list, T item) {
    if (std::ranges::find(list, item) == list.end()) list.push_back(item);
  }
};

Captures captures_of(const EmitState& s, const loop::For& n) {
  Captures c;
  // Allocations of the body are each thread's own, also where a copy of the body stands outside of the loop.
  std::unordered_set<const expr::Buffer*> own;
  loop::visit(n.body, [&](const loop::StmtPtr& stmt) {
    if (const auto* allocation = stmt->as<loop::Allocate>()) own.insert(allocation->buffer.get());
  });
  const auto buffer = [&](const expr::BufferPtr& b) {
    if (s.buffers.contains(b.get()) && !own.contains(b.get())) Captures::add(c.buffers, b.get());
  };
  loop::visit(n.body, [&](const loop::StmtPtr& stmt) {
    if (const auto* store = stmt->as<loop::Store>()) buffer(store->buffer);
    if (const auto* call = stmt->as<loop::IntrinsicCall>()) {
      for (const auto* regions : {&call->outputs, &call->inputs}) {
        for (const loop::Region& region : *regions) buffer(region.buffer);
      }
    }
  });
  loop::visit_expressions(n.body, [&](const expr::ExprPtr& e) {
    if (const auto* load = e->as<expr::Load>()) buffer(load->buffer);
    if (const auto* ref = e->as<expr::VarRef>()) {
      if (s.variables.contains(ref->var.get())) Captures::add(c.variables, ref->var.get());
    }
  });
  return c;
}

/// The variable that the runtime sets; null pointers until then.
llvm::GlobalVariable* hook_of(llvm::Module& module) {
  constexpr const char* kName = "vdla_parallel";
  if (auto* found = module.getGlobalVariable(kName)) return found;
  auto* pointer = llvm::PointerType::get(module.getContext(), 0);
  auto* type = llvm::StructType::get(module.getContext(), {pointer, pointer});
  return new llvm::GlobalVariable(module, type, false, llvm::GlobalValue::WeakAnyLinkage,
                                  llvm::Constant::getNullValue(type), kName);
}

/// name(buffers..., variables..., begin, end): the iterations [begin, end).
llvm::Function* emit_body(EmitState& outer, const loop::Stmt& stmt, const Captures& captures,
                          const std::string& name) {
  const auto& n = *stmt.as<loop::For>();
  auto& context = outer.context();
  std::vector<llvm::Type*> types(captures.buffers.size(), llvm::PointerType::get(context, 0));
  for (const expr::Variable* v : captures.variables) types.push_back(outer.variables.at(v)->getType());
  types.insert(types.end(), 2, llvm::Type::getInt64Ty(context));
  auto* function =
      llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), types, false),
                             llvm::Function::InternalLinkage, name, outer.module);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  EmitState s(outer.module, outer.backend, outer.debug);
  unsigned at = 0;
  for (const expr::Buffer* buffer : captures.buffers) {
    auto* argument = function->getArg(at++);
    argument->setName(buffer->name);
    argument->addAttr(llvm::Attribute::NoAlias);
    argument->addAttr(llvm::Attribute::NonNull);
    s.buffers[buffer] = argument;
  }
  for (const expr::Variable* variable : captures.variables) s.variables[variable] = function->getArg(at++);
  s.builder.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function));
  if (s.debug) s.debug->enter(*function, s.builder, &stmt);
  Value* first = function->getArg(at);
  Value* end = function->getArg(at + 1);
  emit_counted(s, n.var->name, first, end, [&](Value* counter) {
    s.variables[n.var.get()] = counter;
    emit_stmt(s, n.body);
  });
  free_heap(s);
  s.builder.CreateRetVoid();
  return function;
}

/// name(closure, begin, end): takes the arguments of `body` out of the closure's slots of eight bytes.
/// Iteration 0 is the loop's first.
llvm::Function* emit_task(EmitState& outer, const loop::Stmt& stmt, llvm::Function* body,
                          const std::string& name) {
  llvm::IRBuilder<> b(outer.context());
  auto* pointer = llvm::PointerType::get(outer.context(), 0);
  auto* function = llvm::Function::Create(
      llvm::FunctionType::get(b.getVoidTy(), {pointer, b.getInt64Ty(), b.getInt64Ty()}, false),
      llvm::Function::InternalLinkage, name, outer.module);
  b.SetInsertPoint(llvm::BasicBlock::Create(outer.context(), "entry", function));
  if (outer.debug) outer.debug->enter(*function, b, &stmt);
  std::vector<Value*> arguments;
  const std::size_t captured = body->arg_size() - 2;
  const auto slot = [&](std::size_t i, llvm::Type* type) {
    return b.CreateLoad(type, b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), function->getArg(0), i));
  };
  for (std::size_t i = 0; i < captured; ++i)
    arguments.push_back(slot(i, body->getArg(static_cast<unsigned>(i))->getType()));
  Value* min = slot(captured, b.getInt64Ty());
  arguments.push_back(b.CreateNSWAdd(min, function->getArg(1)));
  arguments.push_back(b.CreateNSWAdd(min, function->getArg(2)));
  b.CreateCall(body, arguments);
  b.CreateRetVoid();
  return function;
}

}  // namespace

void emit_parallel(EmitState& s, const loop::Stmt& stmt) {
  const auto& n = *stmt.as<loop::For>();
  auto& b = s.builder;
  const Captures captures = captures_of(s, n);
  llvm::Function* caller = b.GetInsertBlock()->getParent();
  const std::string name = caller->getName().str() + "." + n.var->name;
  llvm::Function* body = emit_body(s, stmt, captures, name);
  llvm::Function* task = emit_task(s, stmt, body, name + ".task");
  Value* min = emit_expr(s, n.min);
  Value* count = emit_expr(s, n.extent);
  std::vector<Value*> values;
  for (const expr::Buffer* buffer : captures.buffers) values.push_back(s.buffers.at(buffer));
  for (const expr::Variable* variable : captures.variables) values.push_back(s.variables.at(variable));
  values.push_back(min);

  llvm::Type* closure_type = llvm::ArrayType::get(b.getInt64Ty(), values.size());
  llvm::IRBuilder<> entry(&caller->getEntryBlock(), caller->getEntryBlock().begin());
  Value* closure = entry.CreateAlloca(closure_type, nullptr, "closure");
  for (std::size_t i = 0; i < values.size(); ++i)
    b.CreateStore(values[i], b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), closure, i));

  auto* pointer = llvm::PointerType::get(s.context(), 0);
  llvm::GlobalVariable* hook = hook_of(s.module);
  Value* run = b.CreateLoad(pointer, b.CreateStructGEP(hook->getValueType(), hook, 0));
  auto* threads = llvm::BasicBlock::Create(s.context(), "threads", caller);
  auto* alone = llvm::BasicBlock::Create(s.context(), "alone", caller);
  auto* after = llvm::BasicBlock::Create(s.context(), n.var->name + ".end", caller);
  b.CreateCondBr(b.CreateIsNull(run), alone, threads);
  b.SetInsertPoint(threads);
  Value* pool = b.CreateLoad(pointer, b.CreateStructGEP(hook->getValueType(), hook, 1));
  b.CreateCall(llvm::FunctionType::get(b.getVoidTy(), {pointer, pointer, pointer, b.getInt64Ty()}, false),
               run, {pool, task, closure, count});
  b.CreateBr(after);
  b.SetInsertPoint(alone);
  b.CreateCall(task, {closure, b.getInt64(0), count});
  b.CreateBr(after);
  b.SetInsertPoint(after);
}

}  // namespace vdla::codegen
