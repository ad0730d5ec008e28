// SPDX-License-Identifier: Apache-2.0
// Makers of variables, buffers and tensors, with their checks.
#include "compiler/expr/tensor.h"

#include <algorithm>

#include "compiler/expr/visit.h"
#include "support/error.h"

namespace vdla::expr {
namespace {

void check_shape(const char* what, const std::string& name, const std::vector<std::int64_t>& shape) {
  for (std::size_t i = 0; i < shape.size(); ++i) {
    VDLA_CHECK_USER(shape[i] > 0) << what << " '" << name << "' needs positive extents, got " << shape[i]
                                  << " in dimension " << i;
  }
}

void check_no_inner_reduce(const std::string& name, const ExprPtr& body) {
  visit(body, [&](const ExprPtr& e) {
    VDLA_CHECK_USER(e == body || !e->as<Reduce>())
        << "compute '" << name
        << "': a reduction must be the outermost operation; give it a compute of its own";
  });
}

void check_variables(const std::string& name, const std::vector<IterVar>& axes, const Compute& compute) {
  std::vector<VarPtr> known;
  for (const IterVar& axis : axes) known.push_back(axis.var());
  for (const IterVar& axis : compute.reduce_axes()) known.push_back(axis.var());
  visit(compute.body, [&](const ExprPtr& e) {
    const auto* ref = e->as<VarRef>();
    VDLA_CHECK_USER(!ref || std::find(known.begin(), known.end(), ref->var) != known.end())
        << "compute '" << name << "' uses variable '" << ref->var->name << "', which is none of its axes";
  });
}

}  // namespace

VarPtr make_var(std::string name, DType dtype) {
  return std::make_shared<const Variable>(Variable{std::move(name), dtype});
}

IterVar::IterVar(std::string name, std::int64_t extent, IterKind kind) {
  VDLA_CHECK_USER(extent > 0) << "axis '" << name << "' needs a positive extent, got " << extent;
  node_ = std::make_shared<const Node>(Node{make_var(std::move(name)), extent, kind});
}

IterVar reduce_axis(std::int64_t extent, std::string name) {
  return IterVar(std::move(name), extent, IterKind::Reduce);
}

BufferPtr make_buffer(std::string name, DType dtype, std::vector<std::int64_t> shape, std::string scope,
                      std::vector<std::int64_t> strides) {
  check_shape("buffer", name, shape);
  if (strides.empty()) strides = dense_strides(shape);
  VDLA_CHECK_USER(strides.size() == shape.size())
      << "buffer '" << name << "' needs one stride per dimension (" << shape.size() << "), got "
      << strides.size();
  for (std::int64_t stride : strides) {
    VDLA_CHECK_USER(stride >= 0) << "buffer '" << name << "' needs strides that are not negative, got "
                                 << stride;
  }
  return std::make_shared<const Buffer>(
      Buffer{std::move(name), dtype, std::move(shape), std::move(strides), std::move(scope)});
}

std::vector<std::int64_t> dense_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

bool is_dense(const Buffer& buffer) { return buffer.strides == dense_strides(buffer.shape); }

std::int64_t storage_size(const Buffer& buffer) {
  std::int64_t last = 0;
  for (std::size_t i = 0; i < buffer.shape.size(); ++i) last += (buffer.shape[i] - 1) * buffer.strides[i];
  return last + 1;
}

std::vector<IterVar> Compute::reduce_axes() const {
  const Reduce* reduce = reduction();
  return reduce ? reduce->axes : std::vector<IterVar>{};
}

const Compute& Tensor::compute() const {
  VDLA_CHECK_USER(node_->compute) << "tensor '" << name() << "' is a placeholder and has no axes or body";
  return *node_->compute;
}

Tensor placeholder(std::string name, std::vector<std::int64_t> shape, DType dtype) {
  check_shape("tensor", name, shape);
  return Tensor(std::make_shared<const TensorNode>(TensorNode{std::move(name), dtype, std::move(shape), {}}));
}

Tensor compute(std::string name, std::vector<IterVar> axes, ExprPtr body) {
  std::vector<std::int64_t> shape;
  for (const IterVar& axis : axes) {
    VDLA_CHECK_USER(!axis.is_reduce())
        << "compute '" << name << "': axis '" << axis.name() << "' is a reduce axis";
    shape.push_back(axis.extent());
  }
  Compute what{std::move(axes), std::move(body)};
  check_no_inner_reduce(name, what.body);
  check_variables(name, what.axes, what);
  DType dtype = what.body->dtype;
  return Tensor(std::make_shared<const TensorNode>(
      TensorNode{std::move(name), dtype, std::move(shape), std::move(what)}));
}

std::vector<Tensor> inputs_of(const ExprPtr& body) {
  std::vector<Tensor> inputs;
  visit(body, [&](const ExprPtr& e) {
    if (const auto* read = e->as<Read>()) {
      Tensor tensor(read->tensor);
      if (std::find(inputs.begin(), inputs.end(), tensor) == inputs.end()) inputs.push_back(tensor);
    }
  });
  return inputs;
}

}  // namespace vdla::expr
