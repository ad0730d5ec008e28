// SPDX-License-Identifier: Apache-2.0
// Makers of variables, buffers and tensors, with their checks.
#include "compiler/expr/tensor.h"

#include <algorithm>

#include "compiler/expr/affine.h"
#include "compiler/expr/print.h"
#include "compiler/expr/visit.h"
#include "support/dimensions.h"
#include "support/error.h"

namespace vdla::expr {
namespace {

/// No buffer is that long; products of it with the bytes of an element still fit 64 bits.
constexpr std::int64_t kMostElements = std::int64_t{1} << 48;

void check_shape(const char* what, const std::string& name, const std::vector<std::int64_t>& shape) {
  VDLA_CHECK_USER(shape.size() <= kMostDimensions)
      << what << " '" << name << "' " << too_many_dimensions(shape.size());
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
  for (const ExprPtr& body : compute.bodies()) {
    visit(body, [&](const ExprPtr& e) {
      const auto* ref = e->as<VarRef>();
      VDLA_CHECK_USER(!ref || std::find(known.begin(), known.end(), ref->var) != known.end())
          << "compute '" << name << "' uses variable '" << ref->var->name << "', which is none of its axes";
    });
  }
}

bool same_reduction(const Reduce& a, const Reduce& b) {
  return a.how == b.how && a.axes == b.axes &&
         std::ranges::equal(a.sources, b.sources,
                            [](const ExprPtr& x, const ExprPtr& y) { return equal(x, y); });
}

/// The bodies of tensors that are computed together: parts of one reduction, in order, or no reductions.
void check_together(const std::string& name, const std::vector<ExprPtr>& bodies) {
  const auto* first = bodies[0]->as<Reduce>();
  VDLA_CHECK_USER(!first || first->sources.size() == bodies.size())
      << "compute '" << name << "': reduction '" << vdla::expr::name(*first) << "' has "
      << first->sources.size() << " parts, and " << bodies.size()
      << " tensors are computed; give each part its tensor";
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const auto* reduce = bodies[i]->as<Reduce>();
    VDLA_CHECK_USER((reduce != nullptr) == (first != nullptr) && (!reduce || same_reduction(*first, *reduce)))
        << "compute '" << name
        << "': tensors that are computed together are the parts of one reduction, or none is a "
        << "reduction; body " << i << " is not like the first";
    VDLA_CHECK_USER(!reduce || reduce->part == i) << "compute '" << name << "': body " << i << " is part "
                                                  << reduce->part << " of the reduction; keep the order";
  }
}

/// The state that a tensor depends on through computes, or null.
bool depends_on(const Tensor& tensor, const std::vector<Tensor>& states) {
  if (std::find(states.begin(), states.end(), tensor) != states.end()) return true;
  if (tensor.is_placeholder()) return false;
  std::vector<Tensor> inputs = inputs_of(tensor.compute());
  return std::any_of(inputs.begin(), inputs.end(), [&](const Tensor& t) { return depends_on(t, states); });
}

/// Every read of a state looks back by 1 to `first` steps, every read of what depends on one stays in its
/// step.
void check_steps(const std::string& scan, const Tensor& tensor, const std::vector<Tensor>& states,
                 std::int64_t first) {
  const Compute& compute = tensor.compute();
  VDLA_CHECK_USER(!compute.axes.empty())
      << "scan '" << scan << "': '" << tensor.name() << "' depends on a state and has no dimension for time";
  for (const ExprPtr& body : compute.bodies()) {
    visit(body, [&](const ExprPtr& e) {
      const auto* read = e->as<Read>();
      if (!read || !depends_on(tensor_of(*read), states)) return;
      bool is_state = tensor_of(*read).is_placeholder();
      Affine back = to_affine(var_ref(compute.axes[0].var())) - to_affine(read->indices[0]);
      std::int64_t low = is_state ? 1 : 0, high = is_state ? first : 0;
      VDLA_CHECK_USER(back.is_constant() && back.constant >= low && back.constant <= high)
          << "scan '" << scan << "': '" << tensor.name() << "' reads " << (is_state ? "state '" : "'")
          << tensor_of(*read).name() << "' at time '" << to_string(read->indices[0]) << "', needs '"
          << compute.axes[0].name()
          << (is_state ? "' minus 1 to " + std::to_string(first) : std::string("' itself"));
    });
  }
  for (const Tensor& input : inputs_of(compute)) {
    if (!input.is_placeholder() && depends_on(input, states)) check_steps(scan, input, states, first);
  }
}

void check_state(const std::string& scan, const Tensor& state, const Tensor& init, const Tensor& update,
                 const Tensor& like) {
  VDLA_CHECK_USER(state.defined() && state.is_placeholder())
      << "scan '" << scan << "': a state is a placeholder";
  VDLA_CHECK_USER(state.rank() > 0 && state.shape() == like.shape())
      << "scan '" << scan << "': state '" << state.name() << "' needs the shape of state '" << like.name()
      << "'";
  VDLA_CHECK_USER(!update.is_placeholder() && update.shape() == state.shape() &&
                  update.dtype() == state.dtype())
      << "scan '" << scan << "': update '" << update.name()
      << "' must be computed with shape and type of state '" << state.name() << "'";
  bool same_rest = init.rank() == state.rank() && init.dtype() == state.dtype() &&
                   std::equal(init.shape().begin() + 1, init.shape().end(), state.shape().begin() + 1);
  VDLA_CHECK_USER(same_rest) << "scan '" << scan << "': init '" << init.name()
                             << "' needs type and shape of state '" << state.name()
                             << "' behind the first dimension";
}

std::vector<Tensor> parts_of(TensorNode node) {
  auto shared = std::make_shared<const TensorNode>(std::move(node));
  std::vector<Tensor> parts;
  for (std::size_t i = 0; i <= shared->others.size(); ++i) parts.emplace_back(shared, i);
  return parts;
}

std::vector<ExprPtr> reads_at(const std::vector<Tensor>& tensors, const std::vector<IterVar>& axes) {
  std::vector<ExprPtr> indices, result;
  for (const IterVar& axis : axes) indices.push_back(var_ref(axis.var()));
  for (const Tensor& tensor : tensors) result.push_back(read(tensor, indices));
  return result;
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
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape) {
    VDLA_CHECK_USER(elements <= kMostElements / extent)
        << "buffer '" << name << "' has more than " << kMostElements << " elements";
    elements *= extent;
  }
  if (strides.empty()) strides = dense_strides(shape);
  VDLA_CHECK_USER(strides.size() == shape.size())
      << "buffer '" << name << "' needs one stride per dimension (" << shape.size() << "), got "
      << strides.size();
  for (std::int64_t stride : strides) {
    VDLA_CHECK_USER(stride >= 0) << "buffer '" << name << "' needs strides that are not negative, got "
                                 << stride;
  }
  std::int64_t last = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    VDLA_CHECK_USER(shape[i] <= 1 || strides[i] <= (kMostElements - last) / (shape[i] - 1))
        << "buffer '" << name << "' reaches over more than " << kMostElements << " elements";
    last += (shape[i] - 1) * strides[i];
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

Tensor placeholder(std::string name, std::vector<std::int64_t> shape, DType dtype) {
  check_shape("tensor", name, shape);
  return Tensor(std::make_shared<const TensorNode>(TensorNode{std::move(name), dtype, std::move(shape), {}}));
}

Tensor compute(std::string name, std::vector<IterVar> axes, ExprPtr body) {
  return compute_together({std::move(name)}, std::move(axes), {std::move(body)})[0];
}

std::vector<Tensor> compute_together(const std::vector<std::string>& names, std::vector<IterVar> axes,
                                     std::vector<ExprPtr> bodies) {
  VDLA_CHECK_USER(!names.empty() && names.size() == bodies.size())
      << "a compute needs a name for each body, got " << names.size() << " names and " << bodies.size()
      << " bodies";
  const std::string& name = names[0];
  std::vector<std::int64_t> shape;
  for (const IterVar& axis : axes) {
    VDLA_CHECK_USER(!axis.is_reduce())
        << "compute '" << name << "': axis '" << axis.name() << "' is a reduce axis";
    shape.push_back(axis.extent());
  }
  for (const ExprPtr& body : bodies) check_no_inner_reduce(name, body);
  check_together(name, bodies);
  std::vector<TensorNode::Part> others;
  for (std::size_t i = 1; i < names.size(); ++i) others.push_back({names[i], bodies[i]->dtype});
  Compute what{std::move(axes), bodies[0], {bodies.begin() + 1, bodies.end()}};
  check_variables(name, what.axes, what);
  DType dtype = bodies[0]->dtype;
  return parts_of(TensorNode{name, dtype, std::move(shape), std::move(what), std::move(others)});
}

std::vector<Tensor> scan(const std::vector<std::string>& names, const std::vector<Tensor>& states,
                         const std::vector<Tensor>& inits, const std::vector<Tensor>& updates) {
  VDLA_CHECK_USER(!names.empty() && names.size() == states.size() && states.size() == inits.size() &&
                  inits.size() == updates.size())
      << "scan needs as many names, states, inits and updates, got " << names.size() << ", " << states.size()
      << ", " << inits.size() << " and " << updates.size();
  for (std::size_t i = 0; i < states.size(); ++i)
    check_state(names[0], states[i], inits[i], updates[i], states[0]);
  const std::int64_t steps = states[0].shape()[0], first = inits[0].shape()[0];
  for (const Tensor& init : inits) {
    VDLA_CHECK_USER(init.shape()[0] == first)
        << "scan '" << names[0] << "': all inits need as many steps, got " << first << " and "
        << init.shape()[0];
    VDLA_CHECK_USER(!depends_on(init, states))
        << "scan '" << names[0] << "': init '" << init.name() << "' depends on a state";
  }
  VDLA_CHECK_USER(first < steps) << "scan '" << names[0] << "' has " << steps << " steps, and its inits give "
                                 << first << " of them; at least one must be computed";
  for (const Tensor& update : updates) check_steps(names[0], update, states, first);
  std::vector<IterVar> axes, init_axes;
  for (std::size_t d = 0; d < states[0].rank(); ++d) {
    std::string name = d == 0 ? updates[0].axes()[0].name() : updates[0].axes()[d].name();
    std::int64_t extent = states[0].shape()[d];
    axes.emplace_back(name, d == 0 ? steps - first : extent, IterKind::Spatial);
    init_axes.emplace_back(name + ".0", d == 0 ? first : extent, IterKind::Spatial);
  }
  std::vector<ExprPtr> bodies = reads_at(updates, axes);
  Recurrence recurrence{first, init_axes, reads_at(inits, init_axes), {}};
  std::vector<TensorNode::Part> others;
  for (std::size_t i = 0; i < states.size(); ++i) {
    recurrence.states.push_back(states[i].node());
    if (i > 0) others.push_back({names[i], states[i].dtype()});
  }
  Compute what{axes, bodies[0], {bodies.begin() + 1, bodies.end()}, std::move(recurrence)};
  return parts_of(
      TensorNode{names[0], states[0].dtype(), states[0].shape(), std::move(what), std::move(others)});
}

std::vector<Tensor> inputs_of(const ExprPtr& body) {
  std::vector<Tensor> inputs;
  visit(body, [&](const ExprPtr& e) {
    if (const auto* read = e->as<Read>()) {
      Tensor tensor = tensor_of(*read);
      if (std::find(inputs.begin(), inputs.end(), tensor) == inputs.end()) inputs.push_back(tensor);
    }
  });
  return inputs;
}

std::vector<Tensor> inputs_of(const Compute& compute) {
  std::vector<Tensor> inputs;
  map_bodies(compute, [&](const ExprPtr& body) {
    for (const Tensor& tensor : inputs_of(body)) {
      if (std::find(inputs.begin(), inputs.end(), tensor) == inputs.end()) inputs.push_back(tensor);
    }
    return body;
  });
  return inputs;
}

}  // namespace vdla::expr
