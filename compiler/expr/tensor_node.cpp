// SPDX-License-Identifier: Apache-2.0
#include "compiler/expr/tensor_node.h"

#include "support/error.h"

namespace vdla::expr {

std::vector<IterVar> Compute::reduce_axes() const {
  const Reduce* reduce = reduction();
  return reduce ? reduce->axes : std::vector<IterVar>{};
}

std::vector<ExprPtr> Compute::bodies() const {
  std::vector<ExprPtr> all{body};
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

Compute map_bodies(const Compute& compute, const std::function<ExprPtr(const ExprPtr&)>& f) {
  Compute result = compute;
  result.body = f(result.body);
  for (ExprPtr& body : result.others) body = f(body);
  if (result.recurrence) {
    for (ExprPtr& body : result.recurrence->init) body = f(body);
  }
  return result;
}

const Compute& Tensor::compute() const {
  VDLA_CHECK_USER(node_->compute) << "tensor '" << name() << "' is a placeholder and has no axes or body";
  return *node_->compute;
}

ExprPtr read(const Tensor& tensor, std::vector<ExprPtr> indices) {
  VDLA_CHECK_USER(tensor.defined()) << "read of an undefined tensor";
  require_indices("tensor", tensor.name(), tensor.rank(), indices);
  return std::make_shared<const Expr>(
      Expr{tensor.dtype(), Read{tensor.node(), std::move(indices), tensor.part()}});
}

}  // namespace vdla::expr
