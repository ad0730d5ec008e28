// SPDX-License-Identifier: Apache-2.0
// Scalar variables, and iteration variables: a variable with its domain.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "compiler/expr/dtype.h"

namespace vdla::expr {

/// A scalar variable; its identity is its address, the name is for people.
struct Variable {
  std::string name;
  DType dtype = kIndex;
};
using VarPtr = std::shared_ptr<const Variable>;

VarPtr make_var(std::string name, DType dtype = kIndex);

enum class IterKind : std::uint8_t { Spatial, Reduce };

/// Handle of an iteration variable with domain [0, extent); equal when it is the same one.
class IterVar {
 public:
  IterVar() = default;
  IterVar(std::string name, std::int64_t extent, IterKind kind);
  const VarPtr& var() const { return node_->var; }
  const std::string& name() const { return node_->var->name; }
  std::int64_t extent() const { return node_->extent; }
  IterKind kind() const { return node_->kind; }
  bool is_reduce() const { return node_->kind == IterKind::Reduce; }
  bool defined() const { return node_ != nullptr; }
  friend bool operator==(const IterVar& a, const IterVar& b) { return a.node_ == b.node_; }

 private:
  struct Node {
    VarPtr var;
    std::int64_t extent;
    IterKind kind;
  };
  std::shared_ptr<const Node> node_;
};

/// An axis to reduce over.
IterVar reduce_axis(std::int64_t extent, std::string name);

}  // namespace vdla::expr
