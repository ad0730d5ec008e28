// SPDX-License-Identifier: Apache-2.0
// Expressions. Their meaning is compiler/expr/expr.h; the fixed-point functions are support/fixed_point.h in
// LLVM IR.
#include <llvm/IR/Intrinsics.h>

#include "compiler/codegen/llvm/emit.h"
#include "compiler/expr/arith.h"
#include "compiler/expr/memory.h"
#include "compiler/expr/tensor.h"
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

Value* one_like(Value* v) { return llvm::ConstantInt::get(v->getType(), 1); }

/// The condition of the divisors that processors trap on: 0, and -1 of signed numbers because of the minimum.
/// Null where y is known to be none of them.
Value* is_trapping(llvm::IRBuilder<>& b, bool u, Value* y) {
  Value* one = one_like(y);
  Value* condition = u ? b.CreateICmpULT(y, one) : b.CreateICmpULE(b.CreateAdd(y, one), one);
  const auto* known = llvm::dyn_cast<llvm::Constant>(condition);
  return known && known->isNullValue() ? nullptr : condition;
}

Value* emit_floor_div(llvm::IRBuilder<>& b, Value* x, Value* y) {
  Value* quotient = b.CreateSDiv(x, y);
  Value* remainder = b.CreateSub(x, b.CreateMul(quotient, y));
  Value* zero = llvm::ConstantInt::get(x->getType(), 0);
  Value* inexact = b.CreateICmpNE(remainder, zero);
  Value* signs_differ = b.CreateICmpSLT(b.CreateXor(remainder, y), zero);
  return b.CreateSub(quotient, b.CreateZExt(b.CreateAnd(inexact, signs_differ), x->getType()));
}

/// x / y of a y that does not trap.
Value* emit_quotient(llvm::IRBuilder<>& b, BinaryOp op, bool u, Value* x, Value* y) {
  if (u) return b.CreateUDiv(x, y);
  return op == BinaryOp::Div ? b.CreateSDiv(x, y) : emit_floor_div(b, x, y);
}
Value* emit_remainder(llvm::IRBuilder<>& b, BinaryOp op, bool u, Value* x, Value* y) {
  if (u) return b.CreateURem(x, y);
  return op == BinaryOp::Rem ? b.CreateSRem(x, y) : b.CreateSub(x, b.CreateMul(emit_floor_div(b, x, y), y));
}

/// Division that never traps. For a y that would trap (0, or -1 of the smallest x), the quotient is x * y and
/// the remainder x * (y + 1).
Value* emit_division(llvm::IRBuilder<>& b, BinaryOp op, bool u, Value* x, Value* y) {
  const bool quotient = expr::is_quotient(op);
  const auto by = [&](Value* d) {
    return quotient ? emit_quotient(b, op, u, x, d) : emit_remainder(b, op, u, x, d);
  };
  Value* traps = is_trapping(b, u, y);
  if (!traps) return by(y);
  Value* regular = by(b.CreateSelect(traps, one_like(y), y));
  return b.CreateSelect(traps, b.CreateMul(x, quotient ? y : b.CreateAdd(y, one_like(y))), regular);
}

/// The bits of an amount that count; nothing to do for a constant.
Value* shift_amount(llvm::IRBuilder<>& b, Value* y) {
  return b.CreateAnd(y, llvm::ConstantInt::get(y->getType(), y->getType()->getScalarSizeInBits() - 1));
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
    case BinaryOp::Rem:
    case BinaryOp::FloorDiv:
    case BinaryOp::FloorMod:
      return emit_division(b, op, u, x, y);
    case BinaryOp::Min:
      return b.CreateSelect(u ? b.CreateICmpULT(x, y) : b.CreateICmpSLT(x, y), x, y);
    case BinaryOp::Max:
      return b.CreateSelect(u ? b.CreateICmpUGT(x, y) : b.CreateICmpSGT(x, y), x, y);
    case BinaryOp::Shl:
      return b.CreateShl(x, shift_amount(b, y));
    case BinaryOp::Shr:
      return u ? b.CreateLShr(x, shift_amount(b, y)) : b.CreateAShr(x, shift_amount(b, y));
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

/// Both sides, each under the mask of the lanes that want it.
Value* emit_masked_select(EmitState& s, const expr::Select& n, Value* condition) {
  Value* outer = s.lanes.mask;
  s.lanes.mask = narrow_mask(s, outer, condition);
  Value* on_true = emit_expr(s, n.on_true);
  s.lanes.mask = narrow_mask(s, outer, s.builder.CreateNot(condition));
  Value* on_false = emit_expr(s, n.on_false);
  s.lanes.mask = outer;
  return s.builder.CreateSelect(condition, in_every_lane(s, on_true), in_every_lane(s, on_false));
}

/// Only the chosen side may run where a side loads.
Value* emit_select(EmitState& s, const expr::Select& n) {
  auto& b = s.builder;
  Value* condition = emit_expr(s, n.condition);
  if (!expr::reads_memory(n.on_true) && !expr::reads_memory(n.on_false)) {
    Value *on_true = emit_expr(s, n.on_true), *on_false = emit_expr(s, n.on_false);
    if (condition->getType()->isVectorTy()) on_true = in_every_lane(s, on_true);
    match_lanes(s, on_true, on_false);
    return b.CreateSelect(condition, on_true, on_false);
  }
  if (condition->getType()->isVectorTy()) return emit_masked_select(s, n, condition);
  llvm::Function* function = b.GetInsertBlock()->getParent();
  auto* then_block = llvm::BasicBlock::Create(s.context(), "then", function);
  auto* else_block = llvm::BasicBlock::Create(s.context(), "else", function);
  auto* join = llvm::BasicBlock::Create(s.context(), "join", function);
  b.CreateCondBr(condition, then_block, else_block);
  b.SetInsertPoint(then_block);
  Value* on_true = emit_expr(s, n.on_true);
  if (s.lanes.variable) on_true = in_every_lane(s, on_true);
  auto* then_end = b.GetInsertBlock();
  b.CreateBr(join);
  b.SetInsertPoint(else_block);
  Value* on_false = emit_expr(s, n.on_false);
  if (s.lanes.variable) on_false = in_every_lane(s, on_false);
  auto* else_end = b.GetInsertBlock();
  b.CreateBr(join);
  b.SetInsertPoint(join);
  auto* phi = b.CreatePHI(on_true->getType(), 2);
  phi->addIncoming(on_true, then_end);
  phi->addIncoming(on_false, else_end);
  return phi;
}

/// The upper half of a float's bits, rounded to nearest, ties to even; a NaN stays one. As an i32. Not by
/// LLVM's bfloat: processors that have an instruction for it flush subnormal numbers.
Value* bfloat_bits(llvm::IRBuilder<>& b, Value* v) {
  llvm::Type* type = type_like(b.getInt32Ty(), v);
  const auto number = [&](std::uint64_t n) { return llvm::ConstantInt::get(type, n); };
  Value* bits = b.CreateBitCast(v, type);
  Value* odd = b.CreateAnd(b.CreateLShr(bits, 16), number(1));
  Value* rounded = b.CreateAdd(b.CreateAdd(bits, number(0x7fff)), odd);
  Value* quiet = b.CreateOr(bits, number(0x400000));
  return b.CreateLShr(b.CreateSelect(b.CreateFCmpUNO(v, v), quiet, rounded), 16);
}

Value* from_bfloat_bits(llvm::IRBuilder<>& b, Value* bits) {
  return b.CreateBitCast(b.CreateShl(bits, 16), type_like(b.getFloatTy(), bits));
}

/// A float as a value of `dtype`; only the narrow types change it.
Value* rounded(llvm::IRBuilder<>& b, DType dtype, Value* v) {
  if (dtype == DType::F16)
    return b.CreateFPExt(b.CreateFPTrunc(v, type_like(b.getHalfTy(), v)), type_like(b.getFloatTy(), v));
  if (dtype == DType::BF16) return from_bfloat_bits(b, bfloat_bits(b, v));
  return v;
}

/// support/float16.h round_to_odd: a second rounding to a narrow type then rounds as one would.
Value* round_to_odd(llvm::IRBuilder<>& b, Value* v) {
  llvm::Type *single = type_like(b.getFloatTy(), v), *word = type_like(b.getInt32Ty(), v);
  Value* nearest = b.CreateFPTrunc(v, single);
  Value* back = b.CreateFPExt(nearest, v->getType());
  Value* beyond = b.CreateFCmpOGT(b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, back),
                                  b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, v));
  Value* bits = b.CreateBitCast(nearest, word);
  Value* odd = b.CreateOr(b.CreateSub(bits, b.CreateZExt(beyond, word)), llvm::ConstantInt::get(word, 1));
  return b.CreateSelect(b.CreateFCmpONE(back, v), b.CreateBitCast(odd, single), nearest);
}

Value* emit_float_cast(llvm::IRBuilder<>& b, DType from, DType to, Value* v) {
  if (to == DType::F64) return b.CreateFPExt(v, type_like(b.getDoubleTy(), v));
  if (from != DType::F64) return rounded(b, to, v);
  return to == DType::F32 ? b.CreateFPTrunc(v, type_like(b.getFloatTy(), v))
                          : rounded(b, to, round_to_odd(b, v));
}

Value* emit_cast(EmitState& s, DType from, DType to, Value* v) {
  auto& b = s.builder;
  llvm::Type* type = type_like(to == expr::kIndex ? s.index_type : register_type(s.context(), to), v);
  if (to == DType::Bool) {
    if (expr::is_float(from)) return b.CreateFCmpUNE(v, llvm::ConstantFP::get(v->getType(), 0));
    return b.CreateICmpNE(v, llvm::ConstantInt::get(v->getType(), 0));
  }
  if (expr::is_float(to)) {
    if (expr::is_float(from)) return emit_float_cast(b, from, to, v);
    return rounded(b, to, is_unsigned(from) ? b.CreateUIToFP(v, type) : b.CreateSIToFP(v, type));
  }
  if (expr::is_float(from)) {
    const auto id = is_unsigned(to) ? llvm::Intrinsic::fptoui_sat : llvm::Intrinsic::fptosi_sat;
    return b.CreateIntrinsic(id, {type, v->getType()}, {v});
  }
  return is_unsigned(from) ? b.CreateZExtOrTrunc(v, type) : b.CreateSExtOrTrunc(v, type);
}

/// (x * y + 2^30) >> 31 of signed numbers of 32 bits, the bits beyond them cut off.
Value* rounded_product(llvm::IRBuilder<>& b, Value* x, Value* y) {
  llvm::Type* wide = type_like(b.getInt64Ty(), x);
  Value* product = b.CreateMul(b.CreateSExt(x, wide), b.CreateSExt(y, wide));
  Value* sum = b.CreateAdd(product, llvm::ConstantInt::get(wide, std::uint64_t{1} << 30));
  return b.CreateTrunc(b.CreateLShr(sum, 31), x->getType());
}

/// Product of vectors where a machine multiplies every second lane: even and odd ones apart, without moves
/// between vectors of both widths.
Value* rounded_product_by_halves(llvm::IRBuilder<>& b, Value* x, Value* y) {
  const unsigned lanes = llvm::cast<llvm::FixedVectorType>(x->getType())->getNumElements();
  llvm::Type* wide = llvm::FixedVectorType::get(b.getInt64Ty(), lanes / 2);
  const auto even = [&](Value* v) { return b.CreateAShr(b.CreateShl(b.CreateBitCast(v, wide), 32), 32); };
  const auto odd = [&](Value* v) { return b.CreateAShr(b.CreateBitCast(v, wide), 32); };
  Value* half = llvm::ConstantInt::get(wide, std::uint64_t{1} << 30);
  Value* low = b.CreateLShr(b.CreateAdd(b.CreateMul(even(x), even(y)), half), 31);
  Value* high = b.CreateShl(b.CreateAdd(b.CreateMul(odd(x), odd(y)), half), 1);
  llvm::SmallVector<int, 64> merged;
  for (unsigned i = 0; i < lanes; ++i) merged.push_back(static_cast<int>(i % 2 == 0 ? i : lanes + i));
  return b.CreateShuffleVector(b.CreateBitCast(low, x->getType()), b.CreateBitCast(high, x->getType()),
                               merged);
}

/// The nudge of support/fixed_point.h and its division towards zero are one shift: both round ties upwards.
Value* emit_srdh_mul(EmitState& s, Value* x, Value* y) {
  auto& b = s.builder;
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(x->getType());
  const bool by_halves = s.features.multiplies_even_lanes && vector && vector->getNumElements() % 4 == 0;
  Value* high = by_halves ? rounded_product_by_halves(b, x, y) : rounded_product(b, x, y);
  // Only INT32_MIN * INT32_MIN exceeds the range, by one.
  Value* lowest = llvm::ConstantInt::get(x->getType(), std::uint64_t{1} << 31);
  Value* exceeds = b.CreateAnd(b.CreateICmpEQ(x, lowest), b.CreateICmpEQ(y, lowest));
  return b.CreateSelect(exceeds, llvm::ConstantInt::get(x->getType(), INT32_MAX), high);
}

/// Shifts the magnitude, in 32 bits: the largest one plus a half has room in them.
Value* emit_round_shift_right(llvm::IRBuilder<>& b, Value* x, Value* amount) {
  amount = shift_amount(b, amount);
  Value* half = b.CreateLShr(b.CreateShl(one_like(x), amount), 1);
  Value* magnitude = b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, x, b.getFalse());
  Value* quotient = b.CreateLShr(b.CreateAdd(magnitude, half), amount);
  Value* negative = b.CreateICmpSLT(x, llvm::Constant::getNullValue(x->getType()));
  return b.CreateSelect(negative, b.CreateNeg(quotient), quotient);
}

/// tf32_value() of support/float16.h.
Value* emit_round_tf32(llvm::IRBuilder<>& b, Value* x) {
  llvm::Type* word = type_like(b.getInt32Ty(), x);
  Value* up = b.CreateAdd(b.CreateBitCast(x, word), llvm::ConstantInt::get(word, 0x1000));
  Value* rounded = b.CreateBitCast(b.CreateAnd(up, llvm::ConstantInt::get(word, ~0x1fffU)), x->getType());
  return b.CreateSelect(b.CreateFCmpUNO(x, x), x, rounded);
}

Value* emit_call(EmitState& s, const expr::Call& n, DType dtype) {
  auto& b = s.builder;
  std::vector<Value*> a;
  for (const ExprPtr& e : n.arguments) a.push_back(emit_expr(s, e));
  if (a.size() == 2) match_lanes(s, a[0], a[1]);
  switch (n.function) {
    case Function::Abs:
      if (expr::is_float(dtype)) return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a[0]);
      return b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, a[0], b.getFalse());
    case Function::Sqrt:
      return b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, a[0]);
    case Function::Exp:
    case Function::Log:
    case Function::Tanh:
    case Function::Erf:
    case Function::Sin:
    case Function::Cos:
    case Function::Tan:
    case Function::Asin:
    case Function::Acos:
    case Function::Atan:
    case Function::Sinh:
    case Function::Cosh:
    case Function::Asinh:
    case Function::Acosh:
    case Function::Atanh:
    case Function::Pow:
    case Function::Fmod:
      return s.backend.function(s, n.function, a);
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
    case Function::RoundTf32:
      return emit_round_tf32(b, a[0]);
    case Function::SrdhMul:
      return emit_srdh_mul(s, a[0], a[1]);
    case Function::RoundShiftRight:
      return emit_round_shift_right(b, a[0], a[1]);
    case Function::BytesDot:
      return emit_bytes_dot(s, nullptr, a[0], a[1]);
    case Function::Clz:
      return b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, a[0], b.getFalse());
    case Function::Popcount:
      return b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, a[0]);
  }
  return nullptr;
}

bool is_bytes_dot(const ExprPtr& e) {
  const auto* call = e->as<expr::Call>();
  return call && call->function == Function::BytesDot;
}

/// One instruction, where there is one that adds products.
Value* emit_sum_of_bytes(EmitState& s, const expr::Binary& n) {
  const auto& products = n.b->as<expr::Call>()->arguments;
  Value *sum = emit_expr(s, n.a), *x = emit_expr(s, products[0]), *y = emit_expr(s, products[1]);
  match_lanes(s, x, y);
  match_lanes(s, sum, x);
  match_lanes(s, sum, y);
  return emit_bytes_dot(s, sum, x, y);
}

}  // namespace

/// The C library's function of that name, for floats with an f behind it; once for each lane.
Value* emit_in_lanes(EmitState& s, const std::vector<Value*>& args,
                     llvm::function_ref<Value*(const std::vector<Value*>&)> emit) {
  auto& b = s.builder;
  llvm::Type* type = args[0]->getType();
  if (!type->isVectorTy()) return emit(args);
  Value* result = llvm::PoisonValue::get(type);
  for (std::uint64_t lane = 0; lane < s.lanes.count; ++lane) {
    std::vector<Value*> own;
    for (Value* arg : args) own.push_back(b.CreateExtractElement(arg, lane));
    result = b.CreateInsertElement(result, emit(own), lane);
  }
  return result;
}

Value* emit_libm(EmitState& s, const std::string& name, const std::vector<Value*>& args) {
  return emit_in_lanes(s, args, [&](const std::vector<Value*>& own) -> Value* {
    llvm::Type* type = own[0]->getType();
    const std::vector<llvm::Type*> types(own.size(), type);
    return s.builder.CreateCall(s.module.getOrInsertFunction(name + (type->isDoubleTy() ? "" : "f"),
                                                             llvm::FunctionType::get(type, types, false)),
                                own);
  });
}

Value* to_memory(EmitState& s, DType dtype, Value* value) {
  auto& b = s.builder;
  if (dtype == DType::Bool) return b.CreateZExt(value, type_like(b.getInt8Ty(), value));
  if (dtype == DType::F16) return b.CreateFPTrunc(value, type_like(b.getHalfTy(), value));
  if (dtype == DType::BF16) return b.CreateTrunc(bfloat_bits(b, value), type_like(b.getInt16Ty(), value));
  return value;
}

Value* from_memory(EmitState& s, DType dtype, Value* value) {
  auto& b = s.builder;
  if (dtype == DType::Bool) return b.CreateTrunc(value, type_like(b.getInt1Ty(), value));
  if (dtype == DType::F16) return b.CreateFPExt(value, type_like(b.getFloatTy(), value));
  if (dtype == DType::BF16) return from_bfloat_bits(b, b.CreateZExt(value, type_like(b.getInt32Ty(), value)));
  return value;
}

Value* emit_expr(EmitState& s, const ExprPtr& e) {
  auto& b = s.builder;
  llvm::Type* type = e->dtype == expr::kIndex ? s.index_type : register_type(s.context(), e->dtype);
  return std::visit(
      overloaded{
          [&](const expr::IntImm& n) -> Value* {
            return llvm::ConstantInt::get(type, static_cast<std::uint64_t>(n.value), !is_unsigned(e->dtype));
          },
          [&](const expr::FloatImm& n) -> Value* { return llvm::ConstantFP::get(type, n.value); },
          [&](const expr::VarRef& n) -> Value* {
            const auto found = s.variables.find(n.var.get());
            VDLA_CHECK(found != s.variables.end()) << "variable " << n.var->name << " is not bound";
            return in_index_width(s, found->second);
          },
          [&](const expr::Binary& n) -> Value* {
            if (n.op == BinaryOp::Add && is_bytes_dot(n.b)) return emit_sum_of_bytes(s, n);
            const bool compares = expr::is_comparison(n.op) && n.a->dtype == expr::kIndex;
            const IndexWidth width(
                s, compares ? is_narrow(s, n.a) && is_narrow(s, n.b) : s.index_type->getBitWidth() == 32);
            Value* x = emit_expr(s, n.a);
            Value* y = emit_expr(s, n.b);
            match_lanes(s, x, y);
            if (!expr::is_float(n.a->dtype)) return emit_int_binary(b, n.op, is_unsigned(n.a->dtype), x, y);
            // Between narrow floats there is a rounding; LLVM would fuse over it where a machine computes in
            // f16.
            const llvm::IRBuilder<>::FastMathFlagGuard outside(b);
            if (e->dtype == DType::F16 || e->dtype == DType::BF16) b.clearFastMathFlags();
            return rounded(b, e->dtype, emit_float_binary(b, n.op, x, y));
          },
          [&](const expr::Not& n) -> Value* { return b.CreateNot(emit_expr(s, n.a)); },
          [&](const expr::Select& n) -> Value* { return emit_select(s, n); },
          [&](const expr::Cast& n) -> Value* {
            Value* value = nullptr;
            {
              const IndexWidth width(s, n.a->dtype == expr::kIndex && is_narrow(s, n.a));
              value = emit_expr(s, n.a);
            }
            return emit_cast(s, n.a->dtype, e->dtype, value);
          },
          [&](const expr::Read& n) -> Value* {
            throw InternalError("a tensor read in loop IR: " + n.tensor->name);
          },
          [&](const expr::Load& n) -> Value* { return emit_load(s, n); },
          [&](const expr::Call& n) -> Value* { return rounded(b, e->dtype, emit_call(s, n, e->dtype)); },
          [&](const expr::Reduce&) -> Value* { throw InternalError("a reduction in loop IR"); },
      },
      e->node);
}

}  // namespace vdla::codegen
