// SPDX-License-Identifier: Apache-2.0
// exp, log, tanh and erf of F32 as straight-line code, so that vector loops stay vector code and no library
// of vector functions is needed. Errors against the exact value, over all floats (host_math_test.cpp holds
// them): exp 2 ulp (subnormal results included), log 2 ulp, tanh 3 ulp, erf 3 ulp. NaN gives NaN.
//
// The coefficients are minimax fits in double, rounded to float.
#include <initializer_list>
#include <limits>

#include "compiler/codegen/llvm/emit.h"

namespace vdla::codegen {
namespace {

using llvm::Value;

/// Float arithmetic on a scalar or a vector of floats.
class Math {
 public:
  Math(llvm::IRBuilder<>& b, Value* like)
      : b_(b), float_(type_like(b.getFloatTy(), like)), int_(type_like(b.getInt32Ty(), like)) {}

  Value* exp(Value* x) {
    // x = n ln2 + r. Adding 1.5 * 2^23 rounds to an integer that then stands in the low bits of the sum.
    Value* magic = number(12582912.0);
    Value* bounded = at_most(at_least(x, -104.0), 89.0);
    Value* shifted = b_.CreateFAdd(b_.CreateFMul(bounded, number(1.44269504088896341)), magic);
    Value* n = b_.CreateFSub(shifted, magic);
    Value* r = b_.CreateFSub(bounded, b_.CreateFMul(n, number(0.693145751953125)));  // ln2, its upper bits
    r = b_.CreateFSub(r, b_.CreateFMul(n, number(1.42860682030941723e-6)));
    Value* tail = polynomial(r, {0.5, 0.16666512, 0.041666187, 0.008369599, 0.0013951715});
    Value* value = b_.CreateFAdd(fma(b_.CreateFMul(r, r), tail, r), number(1.0));
    // 2^n in two steps: one alone has no float at the ends of the range.
    Value* power = b_.CreateSub(bits(shifted), bits(magic));
    Value* half = b_.CreateAShr(power, 1);
    return b_.CreateFMul(b_.CreateFMul(value, power_of_two(half)), power_of_two(b_.CreateSub(power, half)));
  }

  Value* log(Value* x) {
    // x = 2^n m with m in [sqrt(1/2), sqrt(2)); subnormal numbers are scaled up first.
    Value* small = b_.CreateFCmpOLT(x, number(std::numeric_limits<float>::min()));
    Value* normal = b_.CreateSelect(small, b_.CreateFMul(x, number(8388608.0)), x);
    Value* offset = b_.CreateSub(bits(normal), integer(0x3f3504f3));
    Value* n = b_.CreateSIToFP(b_.CreateAShr(offset, 23), float_);
    n = b_.CreateSelect(small, b_.CreateFSub(n, number(23.0)), n);
    Value* mantissa = b_.CreateAdd(b_.CreateAnd(offset, integer(0x7fffff)), integer(0x3f3504f3));
    Value* f = b_.CreateFSub(b_.CreateBitCast(mantissa, float_), number(1.0));
    Value* square = b_.CreateFMul(f, f);
    Value* tail = polynomial(f, {0.3333331, -0.2500001, 0.20002167, -0.1666809, 0.14218551, -0.124030896,
                                 0.118935406, -0.116943106, 0.067574814});
    Value* low = fma(b_.CreateFMul(square, f), tail, b_.CreateFMul(n, number(-2.12194440e-4)));
    low = fma(square, number(-0.5), low);
    Value* value = fma(n, number(0.693359375), b_.CreateFAdd(f, low));
    value = b_.CreateSelect(b_.CreateFCmpOEQ(x, number(kInfinity)), x, value);
    value = b_.CreateSelect(b_.CreateFCmpOEQ(x, number(0)), number(-kInfinity), value);
    return b_.CreateSelect(b_.CreateFCmpULT(x, number(0)), number(kNan), value);  // NaN too
  }

  Value* tanh(Value* x) {
    Value* size = magnitude(x);
    Value* square = b_.CreateFMul(x, x);
    Value* series =
        polynomial(square, {-0.3333333, 0.1333321, -0.053947188, 0.021702884, -0.0081824595, 0.0021473332});
    Value* near = fma(b_.CreateFMul(x, square), series, x);
    Value* power = exp(b_.CreateFMul(size, number(2.0)));
    Value* quotient = b_.CreateFDiv(number(2.0), b_.CreateFAdd(power, number(1.0)));
    Value* far = with_sign_of(b_.CreateFSub(number(1.0), quotient), x);
    return b_.CreateSelect(b_.CreateFCmpOGT(size, number(0.625)), far, near);
  }

  Value* erf(Value* x) {
    Value* size = magnitude(x);
    Value* square = b_.CreateFMul(x, x);
    Value* series = polynomial(square, {0.12837917, -0.37612632, 0.11283674, -0.026858186, 0.0051979916,
                                        -0.0008108081, 8.223981e-05});
    Value* near = fma(x, series, x);
    // 1 - exp(-t - t P(t)), and 1 from 4 on.
    Value* t = at_most(size, 4.0);
    Value* p = polynomial(t, {0.1285449, 0.63565654, 0.10520293, -0.022612026, 0.002892311, -3.606852e-05,
                              -4.8201473e-05, 5.1508173e-06});
    Value* power = exp(b_.CreateFNeg(fma(t, p, t)));
    Value* far = with_sign_of(b_.CreateFSub(number(1.0), power), x);
    return b_.CreateSelect(b_.CreateFCmpOGT(size, number(0.92)), far, near);
  }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

  Value* number(double v) { return llvm::ConstantFP::get(float_, v); }
  Value* integer(std::uint64_t v) { return llvm::ConstantInt::get(int_, v); }
  Value* bits(Value* x) { return b_.CreateBitCast(x, int_); }
  Value* magnitude(Value* x) { return b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x); }
  Value* with_sign_of(Value* size, Value* x) {
    return b_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, size, x);
  }
  // A NaN fails the comparison and stays.
  Value* at_least(Value* x, double low) {
    return b_.CreateSelect(b_.CreateFCmpOLT(x, number(low)), number(low), x);
  }
  Value* at_most(Value* x, double high) {
    return b_.CreateSelect(b_.CreateFCmpOGT(x, number(high)), number(high), x);
  }
  Value* fma(Value* x, Value* y, Value* z) { return b_.CreateFAdd(b_.CreateFMul(x, y), z); }
  Value* power_of_two(Value* n) {
    return b_.CreateBitCast(b_.CreateShl(b_.CreateAdd(n, integer(127)), 23), float_);
  }
  /// Coefficients of x^0, x^1, ...
  Value* polynomial(Value* x, std::initializer_list<double> coefficients) {
    Value* sum = nullptr;
    for (const double* c = coefficients.end(); c-- != coefficients.begin();)
      sum = sum ? fma(sum, x, number(*c)) : number(*c);
    return sum;
  }

  llvm::IRBuilder<>& b_;
  llvm::Type *float_, *int_;
};

}  // namespace

Value* emit_polynomial(EmitState& s, expr::Function function, Value* x) {
  if (!x->getType()->getScalarType()->isFloatTy()) return nullptr;
  Math math(s.builder, x);
  using expr::Function;
  if (function == Function::Exp) return math.exp(x);
  if (function == Function::Log) return math.log(x);
  if (function == Function::Tanh) return math.tanh(x);
  if (function == Function::Erf) return math.erf(x);
  return nullptr;
}

}  // namespace vdla::codegen
