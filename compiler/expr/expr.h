// SPDX-License-Identifier: Apache-2.0
// Expression nodes: typed, immutable, shared. One set serves tensor expressions (Read, Reduce) and loop IR
// (Load). Build them with the functions below, which check types, or with the operators of
// compiler/expr/dsl.h.
//
// Meaning: integers wrap in their type; floats compute in their type, F16 and BF16 by computing in F32 and
// rounding each result to nearest, ties to even. Every operation has a value for all operands, division by 0
// among them (compiler/expr/arith.h). select() evaluates only the chosen side, so the other may index out of
// bounds; everything else evaluates all its operands, and has no effects.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "compiler/expr/buffer.h"
#include "compiler/expr/dtype.h"
#include "compiler/expr/operators.h"
#include "compiler/expr/variable.h"

namespace vdla::expr {

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;

struct TensorNode;  // compiler/expr/tensor_node.h

struct IntImm {
  std::int64_t value;  ///< value in the normal form of the type
};
struct FloatImm {
  double value;  ///< exactly representable in the type
};
struct VarRef {
  VarPtr var;
};
struct Binary {
  BinaryOp op;
  ExprPtr a, b;  ///< operands of one type
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
  std::size_t part = 0;  ///< number among the tensors that are computed together
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
  std::size_t part = 0;  ///< number of this part of the result
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
ExprPtr load(BufferPtr buffer, std::vector<ExprPtr> indices);
/// UserError unless there are `rank` indices, of type kIndex. `what` is "tensor" or "buffer".
void require_indices(std::string_view what, const std::string& name, std::size_t rank,
                     const std::vector<ExprPtr>& indices);
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
