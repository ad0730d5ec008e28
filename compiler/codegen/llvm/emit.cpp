// SPDX-License-Identifier: Apache-2.0
// Statements and functions. Each function becomes two: name.body with one no-alias pointer per parameter, so
// that LLVM may reorder loads and stores, and name, which unpacks the array of pointers.
#include "compiler/codegen/llvm/emit.h"

#include "compiler/expr/width.h"
#include "compiler/form/form.h"
#include "compiler/grid/thread.h"
#include "support/error.h"
#include "support/overloaded.h"

namespace vdla::codegen {
namespace {

using expr::DType;
using llvm::Value;
using loop::StmtPtr;

/// "llvm.loop" metadata: around vector code and operations of warps LLVM is not to write loops out, registers
/// are full already.
llvm::MDNode* stays_a_loop(llvm::LLVMContext& context) {
  llvm::Metadata* wish = llvm::MDString::get(context, "llvm.loop.unroll.disable");
  llvm::MDNode* node = llvm::MDNode::getDistinct(context, {nullptr, llvm::MDNode::get(context, wish)});
  node->replaceOperandWith(0, node);
  return node;
}

/// Notes what values the loop's variable has. Whether 32 bits are enough for it and for the loop's end.
bool enter_loop(EmitState& s, const loop::For& n) {
  if (!s.features.narrows_indices) return false;
  const auto first = expr::bounds(n.min, s.ranges);
  const auto end = expr::bounds(expr::to_affine(n.min) + expr::to_affine(n.extent), s.ranges);
  if (!first || !end || first->low >= end->high) return false;
  s.ranges[n.var] = {first->low, end->high - 1};
  return expr::fits_32_bits(*end) && is_narrow(s, n.min) && is_narrow(s, n.extent);
}

/// All iterations at once, as lanes.
void emit_lanes(EmitState& s, const loop::For& n) {
  auto& b = s.builder;
  ++s.vector_loops;
  const auto count = static_cast<unsigned>(*expr::as_constant(n.extent));
  Value* first = nullptr;
  {
    const IndexWidth width(s, enter_loop(s, n));
    first = emit_expr(s, n.min);
  }
  llvm::SmallVector<llvm::Constant*, form::kMostLanes> steps;
  for (unsigned i = 0; i < count; ++i) steps.push_back(llvm::ConstantInt::get(first->getType(), i));
  s.lanes = {n.var.get(), count, first, nullptr};
  s.variables[n.var.get()] = b.CreateNSWAdd(in_every_lane(s, first), llvm::ConstantVector::get(steps));
  emit_stmt(s, n.body);
  s.lanes = {};
}

void emit_for(EmitState& s, const loop::Stmt& stmt) {
  const auto& n = *stmt.as<loop::For>();
  if (n.kind == loop::ForKind::Vectorized) return emit_lanes(s, n);
  if (n.kind == loop::ForKind::Parallel) return emit_parallel(s, stmt);
  if (expr::is_block(n.kind) || expr::is_thread(n.kind)) return emit_grid_loop(s, n);
  Value *min = nullptr, *end = nullptr;
  {
    const IndexWidth width(s, enter_loop(s, n));
    min = emit_expr(s, n.min);
    end = s.builder.CreateAdd(min, emit_expr(s, n.extent));
  }
  const int vector_loops = s.vector_loops, warp_operations = s.warp_operations;
  auto* back = emit_counted(s, n.var->name, min, end, [&](Value* counter) {
    s.variables[n.var.get()] = counter;
    emit_stmt(s, n.body);
  });
  if ((s.features.keeps_vector_loops && s.vector_loops > vector_loops) || s.warp_operations > warp_operations)
    back->setMetadata(llvm::LLVMContext::MD_loop, stays_a_loop(s.context()));
}

/// Memory is taken once per call of the function, wherever the allocation stands and however many copies of
/// it unrolling made: these are not alive at once.
void emit_storage(EmitState& s, const loop::Allocate& n) {
  if (!s.buffers.contains(n.buffer.get())) s.buffers[n.buffer.get()] = s.backend.allocate(s, *n.buffer);
}

/// The sides under the mask of a condition that differs between the lanes.
void emit_masked_if(EmitState& s, const loop::IfThenElse& n, Value* condition) {
  Value* outer = s.lanes.mask;
  s.lanes.mask = narrow_mask(s, outer, condition);
  emit_stmt(s, n.then_body);
  if (n.else_body) {
    s.lanes.mask = narrow_mask(s, outer, s.builder.CreateNot(condition));
    emit_stmt(s, n.else_body);
  }
  s.lanes.mask = outer;
}

void emit_if(EmitState& s, const loop::IfThenElse& n) {
  auto& b = s.builder;
  llvm::Function* function = b.GetInsertBlock()->getParent();
  Value* condition = emit_expr(s, n.condition);
  if (condition->getType()->isVectorTy()) return emit_masked_if(s, n, condition);
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

/// name.body(ptr noalias p0, ...)
llvm::Function* emit_body(llvm::Module& module, const loop::Func& func, const Backend& backend,
                          DebugInfo* debug) {
  EmitState s(module, backend, debug);
  auto& context = module.getContext();
  std::vector<llvm::Type*> types(func.params.size(), llvm::PointerType::get(context, 0));
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), types, false);
  auto* function = llvm::Function::Create(type, llvm::Function::InternalLinkage, func.name + ".body", module);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  for (std::size_t i = 0; i < func.params.size(); ++i)
    bind_parameter(s, func.params[i], *function->getArg(static_cast<unsigned>(i)), true);
  s.builder.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function));
  if (debug) debug->enter(*function, s.builder);
  emit_stmt(s, func.body);
  free_heap(s);
  s.builder.CreateRetVoid();
  return function;
}

}  // namespace

void emit_stmt(EmitState& s, const StmtPtr& stmt) {
  const llvm::DebugLoc outside = s.builder.getCurrentDebugLocation();
  if (s.debug) s.debug->go_to(s.builder, *stmt);
  s.stmt = stmt.get();
  std::visit(overloaded{
                 [&](const loop::For& n) {
                   emit_for(s, *stmt);
                   // A later loop may have the same variable, and must not see this value.
                   s.variables.erase(n.var.get());
                   s.ranges.erase(n.var);
                 },
                 [&](const loop::Allocate& n) {
                   emit_storage(s, n);
                   emit_stmt(s, n.body);
                 },
                 [&](const loop::Store& n) { emit_store(s, n); },
                 [&](const loop::IfThenElse& n) { emit_if(s, n); },
                 [&](const loop::Seq& n) {
                   for (const StmtPtr& child : n.body) emit_stmt(s, child);
                 },
                 [&](const loop::Tensorize&) { VDLA_CHECK(false) << "a marked loop"; },
                 [&](const loop::IntrinsicCall& n) {
                   const Grid* grid = s.backend.grid();
                   if (grid && grid::is_operation(n)) return grid->operation(s, n);
                   grid&& loop::is_barrier(n) ? grid->barrier(s, *stmt) : emit_intrinsic(s, n);
                 },
             },
             stmt->node);
  s.builder.SetCurrentDebugLocation(outside);
}

llvm::Instruction* emit_counted(EmitState& s, const std::string& name, Value* first, Value* end,
                                llvm::function_ref<void(Value*)> body) {
  auto& b = s.builder;
  llvm::Function* function = b.GetInsertBlock()->getParent();
  auto* before = b.GetInsertBlock();
  auto* block = llvm::BasicBlock::Create(s.context(), name, function);
  auto* after = llvm::BasicBlock::Create(s.context(), name + ".end", function);
  b.CreateCondBr(b.CreateICmpSLT(first, end), block, after);
  b.SetInsertPoint(block);
  auto* counter = b.CreatePHI(first->getType(), 2, name);
  counter->addIncoming(first, before);
  body(counter);
  Value* next = b.CreateNSWAdd(counter, llvm::ConstantInt::get(counter->getType(), 1));
  counter->addIncoming(next, b.GetInsertBlock());
  auto* back = b.CreateCondBr(b.CreateICmpSLT(next, end), block, after);
  b.SetInsertPoint(after);
  return back;
}

void bind_parameter(EmitState& s, const loop::Param& param, llvm::Argument& argument, bool is_alone) {
  argument.setName(param.buffer->name);
  if (is_alone) argument.addAttr(llvm::Attribute::NoAlias);
  argument.addAttr(llvm::Attribute::NonNull);
  if (param.direction == loop::Direction::In) argument.addAttr(llvm::Attribute::ReadOnly);
  const auto bytes =
      static_cast<std::uint64_t>(expr::storage_size(*param.buffer) * expr::bytes(param.buffer->dtype));
  argument.addAttr(llvm::Attribute::getWithDereferenceableBytes(s.context(), bytes));
  s.buffers[param.buffer.get()] = &argument;
}

llvm::Type* register_type(llvm::LLVMContext& context, DType dtype) {
  if (dtype == DType::F64) return llvm::Type::getDoubleTy(context);
  if (expr::is_float(dtype)) return llvm::Type::getFloatTy(context);
  return llvm::Type::getIntNTy(context, static_cast<unsigned>(expr::bits(dtype)));
}

llvm::Type* memory_type(llvm::LLVMContext& context, DType dtype) {
  if (dtype == DType::Bool) return llvm::Type::getInt8Ty(context);
  if (dtype == DType::F16) return llvm::Type::getHalfTy(context);
  if (dtype == DType::BF16) return llvm::Type::getInt16Ty(context);
  return register_type(context, dtype);
}

llvm::Type* type_like(llvm::Type* scalar, Value* like) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(like->getType());
  return vector ? llvm::FixedVectorType::get(scalar, vector->getNumElements()) : scalar;
}

Value* in_every_lane(EmitState& s, Value* value) {
  return value->getType()->isVectorTy() ? value : s.builder.CreateVectorSplat(s.lanes.count, value);
}

void match_lanes(EmitState& s, Value*& a, Value*& b) {
  if (a->getType()->isVectorTy()) b = in_every_lane(s, b);
  if (b->getType()->isVectorTy()) a = in_every_lane(s, a);
}

Value* narrow_mask(EmitState& s, Value* mask, Value* condition) {
  return mask ? s.builder.CreateAnd(mask, condition) : condition;
}

void emit_function(llvm::Module& module, const loop::Func& func, const Backend& backend, DebugInfo* debug) {
  form::require(form::cpu_rules(), func);
  llvm::Function* body = emit_body(module, debug ? debug->add(func) : func, backend, debug);
  auto& context = module.getContext();
  llvm::IRBuilder<> b(context);
  auto* pointer = llvm::PointerType::get(context, 0);
  auto* function = llvm::Function::Create(llvm::FunctionType::get(b.getVoidTy(), {pointer}, false),
                                          llvm::Function::ExternalLinkage, func.name, module);
  b.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function));
  if (debug) debug->enter(*function, b);
  std::vector<Value*> arguments;
  for (std::size_t i = 0; i < func.params.size(); ++i)
    arguments.push_back(b.CreateLoad(pointer, b.CreateConstInBoundsGEP1_64(pointer, function->getArg(0), i)));
  b.CreateCall(body, arguments);
  b.CreateRetVoid();
}

}  // namespace vdla::codegen
