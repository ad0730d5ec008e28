// SPDX-License-Identifier: Apache-2.0
// Node of a tensor: a placeholder, or the result of a compute whose body says what each element is.
#pragma once

#include <functional>
#include <optional>

#include "compiler/expr/expr.h"

namespace vdla::expr {

struct TensorNode;
using TensorPtr = std::shared_ptr<const TensorNode>;

/// A recurrence over the first dimension, time: its first steps are given, every other is computed from
/// earlier ones, which the body sees through the states (placeholders, one for each part).
struct Recurrence {
  std::int64_t first = 0;  ///< how many steps are given
  std::vector<IterVar> init_axes;
  std::vector<ExprPtr> init;  ///< over init_axes, one for each part
  std::vector<TensorPtr> states;
};

/// Computation of each element: `body` over `axes`; a Reduce at its root brings the reduce axes. Several
/// tensors of one shape may be computed together: then all bodies are reductions with the same sources, or
/// none is.
struct Compute {
  std::vector<IterVar> axes;
  ExprPtr body;
  std::vector<ExprPtr> others = {};  ///< bodies of the tensors behind the first
  /// Recurrence along axes[0], which then is time; its variable runs from `first` on: its extent is that much
  /// less than the tensor's.
  std::optional<Recurrence> recurrence = std::nullopt;

  const Reduce* reduction() const { return body->as<Reduce>(); }
  std::vector<IterVar> reduce_axes() const;
  /// The first and the others.
  std::vector<ExprPtr> bodies() const;
};
/// Compute with `f` applied to every body, those of a recurrence's first steps included.
Compute map_bodies(const Compute& compute, const std::function<ExprPtr(const ExprPtr&)>& f);

/// A placeholder, or the tensors of one Compute.
struct TensorNode {
  std::string name;
  DType dtype;
  std::vector<std::int64_t> shape;
  std::optional<Compute> compute;  ///< none for a placeholder
  struct Part {
    std::string name;
    DType dtype;
  };
  std::vector<Part> others = {};  ///< computed together with the first, whose name and type stand above
};

/// Handle of a tensor; equal when it is the same one. Reading an element: A(i, j) with compiler/expr/dsl.h.
class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(TensorPtr node, std::size_t part = 0) : node_(std::move(node)), part_(part) {}
  const std::string& name() const { return part_ == 0 ? node_->name : node_->others[part_ - 1].name; }
  DType dtype() const { return part_ == 0 ? node_->dtype : node_->others[part_ - 1].dtype; }
  const std::vector<std::int64_t>& shape() const { return node_->shape; }
  std::size_t rank() const { return node_->shape.size(); }
  bool is_placeholder() const { return !node_->compute; }
  /// Not for placeholders.
  const Compute& compute() const;
  const std::vector<IterVar>& axes() const { return compute().axes; }
  const TensorPtr& node() const { return node_; }
  bool defined() const { return node_ != nullptr; }
  /// Its place among the tensors that are computed together, how many they are, and another one of them.
  std::size_t part() const { return part_; }
  std::size_t part_count() const { return node_->others.size() + 1; }
  Tensor part(std::size_t index) const { return Tensor(node_, index); }
  Tensor first() const { return Tensor(node_); }
  friend bool operator==(const Tensor& a, const Tensor& b) {
    return a.node_ == b.node_ && a.part_ == b.part_;
  }

  /// Element at `indices`; every argument converts to Value (compiler/expr/dsl.h).
  template <class... Indices>
  auto operator()(const Indices&... indices) const;

 private:
  TensorPtr node_;
  std::size_t part_ = 0;
};
inline Tensor tensor_of(const Read& read) { return Tensor(read.tensor, read.part); }

ExprPtr read(const Tensor& tensor, std::vector<ExprPtr> indices);

}  // namespace vdla::expr
