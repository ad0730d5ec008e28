// SPDX-License-Identifier: Apache-2.0
// Expressions. Their meaning is compiler/expr/expr.h; the fixed-point functions are support/fixed_point.h in
// LLVM IR.
#include <llvm/IR/Intrinsics.h>

#include "compiler/codegen/llvm/emit.h"
#include "compiler/expr/tensor.h"
#include "compiler/expr/visit.h"
#include "support/error.h"
#include "support/overloaded.h"

namespace vdla::codegen {
namespace {

using expr::BinaryOp;
using expr::DType;
using expr::ExprPtr;
using expr::Function;
using llvm::Value;

bool is_unsigned(DType t) { return !expr::is_float(t) && !expr::is_signed(t); }

/// May be evaluated although its value is not needed: no load, no division.
bool can_speculate(const ExprPtr& e) {
  bool safe = true;
  expr::visit(e, [&](const ExprPtr& n) {
    if (n->as<expr::Load>()) safe = false;
    if (const auto* b = n->as<expr::Binary>()) {
      const bool divides = b->op == BinaryOp::Div || b->op == BinaryOp::Rem || b->op == BinaryOp::FloorDiv ||
                           b->op == BinaryOp::FloorMod;
      if (divides && !expr::is_float(n->dtype) && !b->b->as<expr::IntImm>()) safe = false;
    }
  });
  return safe;
}

Value* emit_float_binary(llvm::IRBuilder<>& b, BinaryOp op, Value* x, Value* y) {
  switch (op) {
    case BinaryOp::Add:
      return b.CreateFAdd(x, y);
    case BinaryOp::Sub:
      return b.CreateFSub(x, y);
    case BinaryOp::Mul:
      return b.CreateFMul(x, y);
    case BinaryOp::Div:
      return b.CreateFDiv(x, y);
    case BinaryOp::Min:
      return b.CreateSelect(b.CreateFCmpOLT(x, y), x, y);
    case BinaryOp::Max:
      return b.CreateSelect(b.CreateFCmpOGT(x, y), x, y);
    case BinaryOp::Eq:
      return b.CreateFCmpOEQ(x, y);
    case BinaryOp::Ne:
      return b.CreateFCmpUNE(x, y);
    case BinaryOp::Lt:
      return b.CreateFCmpOLT(x, y);
    case BinaryOp::Le:
      return b.CreateFCmpOLE(x, y);
    case BinaryOp::Gt:
      return b.CreateFCmpOGT(x, y);
    case BinaryOp::Ge:
      return b.CreateFCmpOGE(x, y);
    case BinaryOp::Rem:
    case BinaryOp::FloorDiv:
    case BinaryOp::FloorMod:
    case BinaryOp::Shl:
    case BinaryOp::Shr:
    case BinaryOp::And:
    case BinaryOp::Or:
    case BinaryOp::Xor:
      break;
  }
  throw InternalError("no float form of operator " + std::string(expr::name(op)));
}

Value* emit_floor_div(llvm::IRBuilder<>& b, Value* x, Value* y) {
  Value* quotient = b.CreateSDiv(x, y);
  Value* remainder = b.CreateSub(x, b.CreateMul(quotient, y));
  Value* zero = llvm::ConstantInt::get(x->getType(), 0);
  Value* inexact = b.CreateICmpNE(remainder, zero);
  Value* signs_differ = b.CreateICmpSLT(b.CreateXor(remainder, y), zero);
  return b.CreateSub(quotient, b.CreateZExt(b.CreateAnd(inexact, signs_differ), x->getType()));
}

Value* emit_int_binary(llvm::IRBuilder<>& b, BinaryOp op, bool u, Value* x, Value* y) {
  switch (op) {
    case BinaryOp::Add:
      return b.CreateAdd(x, y);
    case BinaryOp::Sub:
      return b.CreateSub(x, y);
    case BinaryOp::Mul:
      return b.CreateMul(x, y);
    case BinaryOp::Div:
      return u ? b.CreateUDiv(x, y) : b.CreateSDiv(x, y);
    case BinaryOp::Rem:
      return u ? b.CreateURem(x, y) : b.CreateSRem(x, y);
    case BinaryOp::FloorDiv:
      return u ? b.CreateUDiv(x, y) : emit_floor_div(b, x, y);
    case BinaryOp::FloorMod:
      return u ? b.CreateURem(x, y) : b.CreateSub(x, b.CreateMul(emit_floor_div(b, x, y), y));
    case BinaryOp::Min:
      return b.CreateSelect(u ? b.CreateICmpULT(x, y) : b.CreateICmpSLT(x, y), x, y);
    case BinaryOp::Max:
      return b.CreateSelect(u ? b.CreateICmpUGT(x, y) : b.CreateICmpSGT(x, y), x, y);
    case BinaryOp::Shl:
      return b.CreateShl(x, y);
    case BinaryOp::Shr:
      return u ? b.CreateLShr(x, y) : b.CreateAShr(x, y);
    case BinaryOp::And:
      return b.CreateAnd(x, y);
    case BinaryOp::Or:
      return b.CreateOr(x, y);
    case BinaryOp::Xor:
      return b.CreateXor(x, y);
    case BinaryOp::Eq:
      return b.CreateICmpEQ(x, y);
    case BinaryOp::Ne:
      return b.CreateICmpNE(x, y);
    case BinaryOp::Lt:
      return u ? b.CreateICmpULT(x, y) : b.CreateICmpSLT(x, y);
    case BinaryOp::Le:
      return u ? b.CreateICmpULE(x, y) : b.CreateICmpSLE(x, y);
    case BinaryOp::Gt:
      return u ? b.CreateICmpUGT(x, y) : b.CreateICmpSGT(x, y);
    case BinaryOp::Ge:
      return u ? b.CreateICmpUGE(x, y) : b.CreateICmpSGE(x, y);
  }
  return nullptr;
}

/// Only the chosen side may run where a side loads or divides.
Value* emit_select(EmitState& s, const expr::Select& n) {
  auto& b = s.builder;
  Value* condition = emit_expr(s, n.condition);
  if (can_speculate(n.on_true) && can_speculate(n.on_false))
    return b.CreateSelect(condition, emit_expr(s, n.on_true), emit_expr(s, n.on_false));
  llvm::Function* function = b.GetInsertBlock()->getParent();
  auto* then_block = llvm::BasicBlock::Create(s.context(), "then", function);
  auto* else_block = llvm::BasicBlock::Create(s.context(), "else", function);
  auto* join = llvm::BasicBlock::Create(s.context(), "join", function);
  b.CreateCondBr(condition, then_block, else_block);
  b.SetInsertPoint(then_block);
  Value* on_true = emit_expr(s, n.on_true);
  auto* then_end = b.GetInsertBlock();
  b.CreateBr(join);
  b.SetInsertPoint(else_block);
  Value* on_false = emit_expr(s, n.on_false);
  auto* else_end = b.GetInsertBlock();
  b.CreateBr(join);
  b.SetInsertPoint(join);
  auto* phi = b.CreatePHI(on_true->getType(), 2);
  phi->addIncoming(on_true, then_end);
  phi->addIncoming(on_false, else_end);
  return phi;
}

Value* emit_cast(EmitState& s, DType from, DType to, Value* v) {
  auto& b = s.builder;
  llvm::Type* type = register_type(s.context(), to);
  if (to == DType::Bool) {
    if (expr::is_float(from)) return b.CreateFCmpUNE(v, llvm::ConstantFP::get(v->getType(), 0));
    return b.CreateICmpNE(v, llvm::ConstantInt::get(v->getType(), 0));
  }
  if (expr::is_float(to)) {
    if (expr::is_float(from)) return b.CreateFPCast(v, type);
    return is_unsigned(from) ? b.CreateUIToFP(v, type) : b.CreateSIToFP(v, type);
  }
  if (expr::is_float(from)) {
    const auto id = is_unsigned(to) ? llvm::Intrinsic::fptoui_sat : llvm::Intrinsic::fptosi_sat;
    return b.CreateIntrinsic(id, {type, v->getType()}, {v});
  }
  return is_unsigned(from) ? b.CreateZExtOrTrunc(v, type) : b.CreateSExtOrTrunc(v, type);
}

Value* emit_srdh_mul(llvm::IRBuilder<>& b, Value* x, Value* y) {
  llvm::Type* wide = b.getInt64Ty();
  Value* product = b.CreateMul(b.CreateSExt(x, wide), b.CreateSExt(y, wide));
  Value* negative = b.CreateICmpSLT(product, b.getInt64(0));
  Value* nudge =
      b.CreateSelect(negative, b.getInt64(1 - (std::int64_t{1} << 30)), b.getInt64(std::int64_t{1} << 30));
  Value* high = b.CreateSDiv(b.CreateAdd(product, nudge), b.getInt64(std::int64_t{1} << 31));
  // Only INT32_MIN * INT32_MIN exceeds the range, by one.
  return b.CreateTrunc(b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, high, b.getInt64(INT32_MAX)),
                       b.getInt32Ty());
}

Value* emit_round_shift_right(llvm::IRBuilder<>& b, Value* x, Value* amount) {
  Value* mask = b.CreateSub(b.CreateShl(b.getInt64(1), b.CreateZExt(amount, b.getInt64Ty())), b.getInt64(1));
  Value* wide = b.CreateSExt(x, b.getInt64Ty());
  Value* remainder = b.CreateAnd(wide, mask);
  Value* threshold =
      b.CreateAdd(b.CreateLShr(mask, 1), b.CreateZExt(b.CreateICmpSLT(x, b.getInt32(0)), b.getInt64Ty()));
  Value* up = b.CreateZExt(b.CreateICmpSGT(remainder, threshold), b.getInt32Ty());
  return b.CreateAdd(b.CreateAShr(x, amount), up);
}

Value* emit_libm(EmitState& s, const char* name, const std::vector<Value*>& args) {
  auto& b = s.builder;
  std::vector<llvm::Type*> types(args.size(), b.getFloatTy());
  return b.CreateCall(
      s.module.getOrInsertFunction(name, llvm::FunctionType::get(b.getFloatTy(), types, false)), args);
}

Value* emit_call(EmitState& s, const expr::Call& n, DType dtype) {
  auto& b = s.builder;
  std::vector<Value*> a;
  for (const ExprPtr& e : n.arguments) a.push_back(emit_expr(s, e));
  switch (n.function) {
    case Function::Abs:
      if (expr::is_float(dtype)) return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a[0]);
      return b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, a[0], b.getFalse());
    case Function::Exp:
      return emit_libm(s, "expf", a);
    case Function::Log:
      return emit_libm(s, "logf", a);
    case Function::Sqrt:
      return b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, a[0]);
    case Function::Tanh:
      return emit_libm(s, "tanhf", a);
    case Function::Erf:
      return emit_libm(s, "erff", a);
    case Function::Sin:
      return emit_libm(s, "sinf", a);
    case Function::Cos:
      return emit_libm(s, "cosf", a);
    case Function::Pow:
      return emit_libm(s, "powf", a);
    case Function::Floor:
      return b.CreateUnaryIntrinsic(llvm::Intrinsic::floor, a[0]);
    case Function::Ceil:
      return b.CreateUnaryIntrinsic(llvm::Intrinsic::ceil, a[0]);
    case Function::Trunc:
      return b.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, a[0]);
    case Function::Round:
      return b.CreateUnaryIntrinsic(llvm::Intrinsic::round, a[0]);
    case Function::RoundEven:
      return b.CreateUnaryIntrinsic(llvm::Intrinsic::roundeven, a[0]);
    case Function::SrdhMul:
      return emit_srdh_mul(b, a[0], a[1]);
    case Function::RoundShiftRight:
      return emit_round_shift_right(b, a[0], a[1]);
    case Function::Clz:
      return b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, a[0], b.getFalse());
  }
  return nullptr;
}

}  // namespace

Value* emit_expr(EmitState& s, const ExprPtr& e) {
  auto& b = s.builder;
  llvm::Type* type = register_type(s.context(), e->dtype);
  return std::visit(
      overloaded{
          [&](const expr::IntImm& n) -> Value* {
            return llvm::ConstantInt::get(type, static_cast<std::uint64_t>(n.value), !is_unsigned(e->dtype));
          },
          [&](const expr::FloatImm& n) -> Value* { return llvm::ConstantFP::get(type, n.value); },
          [&](const expr::VarRef& n) -> Value* {
            const auto found = s.variables.find(n.var.get());
            VDLA_CHECK(found != s.variables.end()) << "variable " << n.var->name << " is not bound";
            return found->second;
          },
          [&](const expr::Binary& n) -> Value* {
            Value* x = emit_expr(s, n.a);
            Value* y = emit_expr(s, n.b);
            return expr::is_float(n.a->dtype) ? emit_float_binary(b, n.op, x, y)
                                              : emit_int_binary(b, n.op, is_unsigned(n.a->dtype), x, y);
          },
          [&](const expr::Not& n) -> Value* { return b.CreateNot(emit_expr(s, n.a)); },
          [&](const expr::Select& n) -> Value* { return emit_select(s, n); },
          [&](const expr::Cast& n) -> Value* {
            return emit_cast(s, n.a->dtype, e->dtype, emit_expr(s, n.a));
          },
          [&](const expr::Read& n) -> Value* {
            throw InternalError("a tensor read in loop IR: " + n.tensor->name);
          },
          [&](const expr::Load& n) -> Value* {
            Value* pointer = element_pointer(s, *n.buffer, n.indices);
            Value* value = b.CreateLoad(memory_type(s.context(), e->dtype), pointer);
            return e->dtype == DType::Bool ? b.CreateTrunc(value, type) : value;
          },
          [&](const expr::Call& n) -> Value* { return emit_call(s, n, e->dtype); },
          [&](const expr::Reduce&) -> Value* { throw InternalError("a reduction in loop IR"); },
      },
      e->node);
}

}  // namespace vdla::codegen
