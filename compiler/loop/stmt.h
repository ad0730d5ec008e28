// SPDX-License-Identifier: Apache-2.0
// Loop IR statements and functions: immutable, shared, typed. Between TE and target code everything is this.
// The text form is in compiler/loop/print.h; what is legal, in compiler/loop/verify.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/expr/expr.h"
#include "compiler/expr/for_kind.h"

namespace vdla::loop {

using expr::Buffer;
using expr::BufferPtr;
using expr::DType;
using expr::ExprPtr;
using expr::ForKind;
using expr::VarPtr;

struct Stmt;
using StmtPtr = std::shared_ptr<const Stmt>;

/// body for var = min, min + 1, ..., min + extent - 1; not at all where extent <= 0.
struct For {
  VarPtr var;
  ExprPtr min, extent;
  ForKind kind;
  StmtPtr body;
};
/// `buffer` exists, with undefined contents, while `body` runs.
struct Allocate {
  BufferPtr buffer;
  StmtPtr body;
  /// Parts of the buffer, of which others are filled while one is read: 2 is double buffered. Changes no
  /// meaning.
  std::int64_t parts = 1;
  /// Whether the values that are to fill a part wait in registers while another part is read. Changes no
  /// meaning.
  bool held = false;
};
struct Store {
  BufferPtr buffer;
  std::vector<ExprPtr> indices;
  ExprPtr value;
};
struct IfThenElse {
  ExprPtr condition;
  StmtPtr then_body;
  StmtPtr else_body;  ///< may be null
};
/// Statements in order; empty does nothing.
struct Seq {
  std::vector<StmtPtr> body;
};

/// The elements that an intrinsic touches in one buffer, as an affine pattern over the intrinsic's own axes
/// of this operand: element [e0, e1, ...] lies at offset(origin) + sum(e_d * strides[d]), in elements of the
/// flattened buffer.
struct Region {
  BufferPtr buffer;
  std::vector<ExprPtr> origin;  ///< index of the first element, one per dimension of the buffer
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> strides;  ///< as many as extents; may be 0 (broadcast)
};

struct Attribute {
  std::string name;
  ExprPtr value;
};

/// A tensorised operation: the declaration that `name` refers to says what it does. Outputs are written, and
/// read where the declaration accumulates. Where `reset` (may be null, then never) holds, accumulation starts
/// from the identity.
struct IntrinsicCall {
  std::string name;
  std::vector<Region> outputs, inputs;
  std::vector<Attribute> attributes;
  ExprPtr reset;
};

/// `body`, which a schedule asked to become one call of `intrinsic`: compiler/tensorize replaces it. It means
/// its body.
struct Tensorize {
  std::string intrinsic;
  StmtPtr body;
};

struct Stmt {
  using Node = std::variant<For, Allocate, Store, IfThenElse, Seq, IntrinsicCall, Tensorize>;
  Node node;

  /// The node as T, or null.
  template <class T>
  const T* as() const {
    return std::get_if<T>(&node);
  }
};

StmtPtr make_for(VarPtr var, ExprPtr min, ExprPtr extent, ForKind kind, StmtPtr body);
StmtPtr make_for(VarPtr var, std::int64_t extent, StmtPtr body, ForKind kind = ForKind::Serial);
StmtPtr allocate(BufferPtr buffer, StmtPtr body, std::int64_t parts = 1, bool held = false);
StmtPtr store(BufferPtr buffer, std::vector<ExprPtr> indices, ExprPtr value);
StmtPtr if_then_else(ExprPtr condition, StmtPtr then_body, StmtPtr else_body = nullptr);
/// Flattens nested sequences; of one statement, the statement itself.
StmtPtr seq(const std::vector<StmtPtr>& body);
StmtPtr intrinsic_call(IntrinsicCall call);
StmtPtr tensorize(std::string intrinsic, StmtPtr body);
/// Name of the call where threads wait for each other: an intrinsic call without operands that does nothing
/// where iterations run in order.
inline constexpr const char* kBarrier = "barrier";
StmtPtr barrier();
bool is_barrier(const IntrinsicCall& call);
inline StmtPtr nop() { return seq({}); }
bool is_nop(const StmtPtr& s);

/// The value of attribute `name`, or null.
ExprPtr find_attribute(const IntrinsicCall& call, std::string_view name);
/// Number of elements that a region names.
std::int64_t element_count(const Region& region);

enum class Direction : std::uint8_t { In, Out, InOut };
std::string_view name(Direction direction);

/// A buffer that the caller supplies. Out is written in full before it is read; In is never written.
struct Param {
  BufferPtr buffer;
  Direction direction;
};

struct Func {
  std::string name;
  std::vector<Param> params;
  StmtPtr body;
};

}  // namespace vdla::loop
