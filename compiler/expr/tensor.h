// SPDX-License-Identifier: Apache-2.0
// Makers of tensors, with their checks. How a tensor is computed is the schedule's business.
#pragma once

#include "compiler/expr/tensor_node.h"

namespace vdla::expr {

Tensor placeholder(std::string name, std::vector<std::int64_t> shape, DType dtype);
/// General form: the axes are given, the body uses their variables. dsl.h has the one that takes a function.
Tensor compute(std::string name, std::vector<IterVar> axes, ExprPtr body);

/// Several tensors of one shape, computed together.
std::vector<Tensor> compute_together(const std::vector<std::string>& names, std::vector<IterVar> axes,
                                     std::vector<ExprPtr> bodies);

/// A recurrence: element [t, ...] of result p is inits[p][t, ...] for the first steps (as many as the inits
/// have), and updates[p][t, ...] from then on. The updates read earlier steps of the result as
/// states[p](t - 1, ...), a placeholder of the result's shape. All states have one shape. What depends on a
/// state is computed inside of the loop over time.
std::vector<Tensor> scan(const std::vector<std::string>& names, const std::vector<Tensor>& states,
                         const std::vector<Tensor>& inits, const std::vector<Tensor>& updates);

/// The distinct tensors that an expression reads, in order of first appearance.
std::vector<Tensor> inputs_of(const ExprPtr& body);
/// Tensors that a compute reads; states of a recurrence are placeholders like any other.
std::vector<Tensor> inputs_of(const Compute& compute);

}  // namespace vdla::expr
