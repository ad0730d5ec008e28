// SPDX-License-Identifier: Apache-2.0
// Tensors: a tensor is either a placeholder or the result of a compute, whose body says what each
// element is. How it is computed is the schedule's business.
#pragma once

#include <optional>

#include "compiler/expr/expr.h"

namespace vdla::expr {

/// What each element is: `body` over `axes`; a Reduce at its root brings the reduce axes.
struct Compute {
  std::vector<IterVar> axes;
  ExprPtr body;

  const Reduce* reduction() const { return body->as<Reduce>(); }
  std::vector<IterVar> reduce_axes() const;
};

struct TensorNode {
  std::string name;
  DType dtype;
  std::vector<std::int64_t> shape;
  std::optional<Compute> compute;  ///< none for a placeholder
};
using TensorPtr = std::shared_ptr<const TensorNode>;

/// Handle of a tensor; equal when it is the same one. Reading an element: A(i, j) with compiler/expr/dsl.h.
class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(TensorPtr node) : node_(std::move(node)) {}
  const std::string& name() const { return node_->name; }
  DType dtype() const { return node_->dtype; }
  const std::vector<std::int64_t>& shape() const { return node_->shape; }
  std::size_t rank() const { return node_->shape.size(); }
  bool is_placeholder() const { return !node_->compute; }
  /// Not for placeholders.
  const Compute& compute() const;
  const std::vector<IterVar>& axes() const { return compute().axes; }
  const TensorPtr& node() const { return node_; }
  bool defined() const { return node_ != nullptr; }
  friend bool operator==(const Tensor& a, const Tensor& b) { return a.node_ == b.node_; }

  /// Element at `indices`; every argument converts to Value (compiler/expr/dsl.h).
  template <class... Indices>
  auto operator()(const Indices&... indices) const;

 private:
  TensorPtr node_;
};

Tensor placeholder(std::string name, std::vector<std::int64_t> shape, DType dtype);
/// General form: the axes are given, the body uses their variables. dsl.h has the one that takes a function.
Tensor compute(std::string name, std::vector<IterVar> axes, ExprPtr body);

/// The distinct tensors that an expression reads, in order of first appearance.
std::vector<Tensor> inputs_of(const ExprPtr& body);

}  // namespace vdla::expr
