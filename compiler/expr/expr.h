// SPDX-License-Identifier: Apache-2.0
// Expression nodes: typed, immutable, shared. One set serves tensor expressions (Read, Reduce) and loop IR
// (Load). Build them with the functions below, which check types, or with the operators of
// compiler/expr/dsl.h.
//
// Meaning: integers wrap in their type; floats compute in their type, F16 and BF16 by computing in F32 and
// rounding each result to nearest, ties to even; select() evaluates only the chosen
// side, so the other may index out of bounds or divide by zero; everything else evaluates all its operands,
// and has no effects.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "compiler/expr/buffer.h"
#include "compiler/expr/dtype.h"
#include "compiler/expr/variable.h"

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
  X(Shl, "<<", true)              /* amount of the same type, in [0, bits) */    \
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
#define VDLA_FUNCTIONS(X)                                                                          \
  X(Abs, "abs", 1) /* any signed type, wraps at the minimum */                                     \
  X(Exp, "exp", 1)                                                                                 \
  X(Log, "log", 1)                                                                                 \
  X(Sqrt, "sqrt", 1)                                                                               \
  X(Tanh, "tanh", 1)                                                                               \
  X(Erf, "erf", 1)                                                                                 \
  X(Sin, "sin", 1)                                                                                 \
  X(Cos, "cos", 1)                                                                                 \
  X(Tan, "tan", 1)                                                                                 \
  X(Asin, "asin", 1)                                                                               \
  X(Acos, "acos", 1)                                                                               \
  X(Atan, "atan", 1)                                                                               \
  X(Sinh, "sinh", 1)                                                                               \
  X(Cosh, "cosh", 1)                                                                               \
  X(Asinh, "asinh", 1)                                                                             \
  X(Acosh, "acosh", 1)                                                                             \
  X(Atanh, "atanh", 1)                                                                             \
  X(Pow, "pow", 2)                                                                                 \
  X(Fmod, "fmod", 2) /* a - b * trunc(a / b), exact, with the sign of a */                         \
  X(Floor, "floor", 1)                                                                             \
  X(Ceil, "ceil", 1)                                                                               \
  X(Trunc, "trunc", 1)                                                                             \
  X(Round, "round", 1)                       /* ties away from zero */                             \
  X(RoundEven, "round_even", 1)              /* ties to even */                                    \
  X(SrdhMul, "srdh_mul", 2)                  /* I32: saturating rounding doubling high multiply */ \
  X(RoundShiftRight, "round_shift_right", 2) /* I32: divide by 2^n, ties away from zero */         \
  X(Clz, "clz", 1)                           /* I32, U32: count of leading zeros, 32 for 0 */      \
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

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;

struct TensorNode;  // compiler/expr/tensor.h
class Tensor;

struct IntImm {
  std::int64_t value;  ///< in the normal form of the type
};
struct FloatImm {
  double value;  ///< exactly representable in the type
};
struct VarRef {
  VarPtr var;
};
struct Binary {
  BinaryOp op;
  ExprPtr a, b;  ///< of one type
};
/// Logical for Bool, bitwise for integers.
struct Not {
  ExprPtr a;
};
struct Select {
  ExprPtr condition, on_true, on_false;
};
/// int -> int wraps; int -> float rounds to nearest (to F16 and BF16 by way of F32); float -> float rounds to
/// nearest; float -> int truncates and saturates, NaN gives 0; ->
/// Bool is != 0.
struct Cast {
  ExprPtr a;
};
/// Element of a tensor, in tensor expressions only.
struct Read {
  std::shared_ptr<const TensorNode> tensor;
  std::vector<ExprPtr> indices;
  std::size_t part = 0;  ///< which of the tensors that are computed together
};
/// Element of a buffer, in loop IR only.
struct Load {
  BufferPtr buffer;
  std::vector<ExprPtr> indices;
};
struct Call {
  Function function;
  std::vector<ExprPtr> arguments;
};
/// A reduction that a user declares: how two partial results become one, and the one that changes no other.
/// A partial result has one or several parts (the maximum and its index). Commutative and associative.
struct Combiner {
  std::string name;
  std::vector<VarPtr> a, b;       ///< the parts of the two
  std::vector<ExprPtr> result;    ///< the parts of the combined one, in a and b
  std::vector<ExprPtr> identity;  ///< constants
};
using CombinerPtr = std::shared_ptr<const Combiner>;

/// Combines the sources over all values of `axes`; only as the outermost node of a compute's body.
struct Reduce {
  std::variant<Reducer, CombinerPtr> how;
  std::vector<ExprPtr> sources;  ///< one for each part
  std::vector<IterVar> axes;
  std::size_t part = 0;  ///< which part of the result this is
};

struct Expr {
  using Node = std::variant<IntImm, FloatImm, VarRef, Binary, Not, Select, Cast, Read, Load, Call, Reduce>;
  DType dtype;
  Node node;

  /// The node as T, or null.
  template <class T>
  const T* as() const {
    return std::get_if<T>(&node);
  }
};

ExprPtr int_imm(std::int64_t value, DType dtype = kIndex);
ExprPtr bool_imm(bool value);
ExprPtr float_imm(double value, DType dtype = DType::F32);
/// The number `value` in any type; refuses one that does not fit.
ExprPtr number(std::int64_t value, DType dtype);
ExprPtr var_ref(const VarPtr& var);
ExprPtr binary(BinaryOp op, ExprPtr a, ExprPtr b);
ExprPtr logical_not(ExprPtr a);
ExprPtr select(ExprPtr condition, ExprPtr on_true, ExprPtr on_false);
/// Returns `a` itself where the type is already right.
ExprPtr cast(DType dtype, ExprPtr a);
ExprPtr read(const Tensor& tensor, std::vector<ExprPtr> indices);
ExprPtr load(BufferPtr buffer, std::vector<ExprPtr> indices);
ExprPtr call(Function function, std::vector<ExprPtr> arguments);
ExprPtr reduce(Reducer reducer, ExprPtr source, std::vector<IterVar> axes);
/// One part of a declared reduction.
ExprPtr reduce(CombinerPtr combiner, std::vector<ExprPtr> sources, std::vector<IterVar> axes,
               std::size_t part);
/// Checks the declaration: types, variables, and on small numbers that identity, order and grouping are
/// right.
CombinerPtr make_combiner(Combiner combiner);

/// The value that leaves every other unchanged under the reducer: 0, 1, or the extreme of the type (infinite
/// for floats).
ExprPtr identity(Reducer reducer, DType dtype);
/// a combined with b.
ExprPtr combine(Reducer reducer, ExprPtr a, ExprPtr b);

std::string_view name(const Reduce& reduce);
/// All parts.
std::vector<ExprPtr> identities(const Reduce& reduce);
std::vector<ExprPtr> combine(const Reduce& reduce, const std::vector<ExprPtr>& a,
                             const std::vector<ExprPtr>& b);

}  // namespace vdla::expr
