// SPDX-License-Identifier: Apache-2.0
// Operators, functions and reducers of expressions: names and how many operands they take.
#pragma once

#include <cstdint>
#include <string_view>

namespace vdla::expr {

// name, text, infix. Comparisons give Bool; And/Or/Xor are bitwise, on Bool logical (both sides are
// evaluated).
#define VDLA_BINARY_OPS(X)                                                       \
  X(Add, "+", true)                                                              \
  X(Sub, "-", true)                                                              \
  X(Mul, "*", true)                                                              \
  X(Div, "/", true)               /* integers: towards zero; floats: division */ \
  X(Rem, "rem", false)            /* integers: remainder of Div */               \
  X(FloorDiv, "floor_div", false) /* integers: towards minus infinity */         \
  X(FloorMod, "floor_mod", false) /* integers: remainder of FloorDiv */          \
  X(Min, "min", false)            /* a < b ? a : b */                            \
  X(Max, "max", false)            /* a > b ? a : b */                            \
  X(Shl, "<<", true)              /* amount of the same type, modulo its bits */ \
  X(Shr, ">>", true)              /* arithmetic where signed, else logical */    \
  X(And, "&", true)                                                              \
  X(Or, "|", true)                                                               \
  X(Xor, "^", true)                                                              \
  X(Eq, "==", true)                                                              \
  X(Ne, "!=", true)                                                              \
  X(Lt, "<", true)                                                               \
  X(Le, "<=", true)                                                              \
  X(Gt, ">", true)                                                               \
  X(Ge, ">=", true)

// name, text, arguments. Float functions take any float type; the rounding and fixed-point ones are exact.
#define VDLA_FUNCTIONS(X)                                                                           \
  X(Abs, "abs", 1) /* any signed type, wraps at the minimum */                                      \
  X(Exp, "exp", 1)                                                                                  \
  X(Log, "log", 1)                                                                                  \
  X(Sqrt, "sqrt", 1)                                                                                \
  X(Tanh, "tanh", 1)                                                                                \
  X(Erf, "erf", 1)                                                                                  \
  X(Sin, "sin", 1)                                                                                  \
  X(Cos, "cos", 1)                                                                                  \
  X(Tan, "tan", 1)                                                                                  \
  X(Asin, "asin", 1)                                                                                \
  X(Acos, "acos", 1)                                                                                \
  X(Atan, "atan", 1)                                                                                \
  X(Sinh, "sinh", 1)                                                                                \
  X(Cosh, "cosh", 1)                                                                                \
  X(Asinh, "asinh", 1)                                                                              \
  X(Acosh, "acosh", 1)                                                                              \
  X(Atanh, "atanh", 1)                                                                              \
  X(Pow, "pow", 2)                                                                                  \
  X(Fmod, "fmod", 2) /* a - b * trunc(a / b), exact, with the sign of a */                          \
  X(Floor, "floor", 1)                                                                              \
  X(Ceil, "ceil", 1)                                                                                \
  X(Trunc, "trunc", 1)                                                                              \
  X(Round, "round", 1)                       /* ties away from zero */                              \
  X(RoundEven, "round_even", 1)              /* ties to even */                                     \
  X(RoundTf32, "round_tf32", 1)              /* F32: to 10 bits of fraction, ties away from zero */ \
  X(SrdhMul, "srdh_mul", 2)                  /* I32: saturating rounding doubling high multiply */  \
  X(RoundShiftRight, "round_shift_right", 2) /* I32: divide by 2^(n & 31), ties away from zero */   \
  X(BytesDot, "bytes_dot", 2)                /* I32: sum of a's four uint8 times b's four int8 */   \
  X(Clz, "clz", 1)                           /* I32, U32: count of leading zeros, 32 for 0 */       \
  X(Popcount, "popcount", 1)                 /* integers: how many bits are set */

// name, text, identity as described. A reduction combines in any order that the schedule asks for.
#define VDLA_REDUCERS(X) \
  X(Sum, "sum")          \
  X(Max, "max")          \
  X(Min, "min")          \
  X(Prod, "prod")

enum class BinaryOp : std::uint8_t {
#define VDLA_ENUM(name, text, infix) name,
  VDLA_BINARY_OPS(VDLA_ENUM)
#undef VDLA_ENUM
};
enum class Function : std::uint8_t {
#define VDLA_ENUM(name, text, arity) name,
  VDLA_FUNCTIONS(VDLA_ENUM)
#undef VDLA_ENUM
};
enum class Reducer : std::uint8_t {
#define VDLA_ENUM(name, text) name,
  VDLA_REDUCERS(VDLA_ENUM)
#undef VDLA_ENUM
};

std::string_view name(BinaryOp op);
std::string_view name(Function function);
std::string_view name(Reducer reducer);
bool is_infix(BinaryOp op);
bool is_comparison(BinaryOp op);
int arity(Function function);

}  // namespace vdla::expr
