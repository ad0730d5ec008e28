// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/gpu/templates/dots.h"

#include <algorithm>

#include "compiler/expr/affine.h"
#include "compiler/expr/simplify.h"
#include "compiler/expr/tensor.h"
#include "compiler/expr/visit.h"
#include "compiler/intrinsics/thread.h"
#include "compiler/targets/gpu/templates/stages.h"

namespace vdla::pipeline::gpu {
namespace {

using expr::DType;
using expr::ExprPtr;
using expr::IterVar;
using expr::Tensor;
using intrinsics::kDp4aTerms;

bool is_variable(const ExprPtr& e, const IterVar& axis) {
  const auto* ref = e->as<expr::VarRef>();
  return ref && ref->var == axis.var();
}

/// Whether an index of other dimensions does not use the axis.
bool others_are_free_of(const expr::Read& read, const IterVar& axis) {
  return std::none_of(read.indices.begin(), read.indices.end() - 1,
                      [&](const ExprPtr& index) { return expr::uses(index, axis.var()); });
}

/// Whether terms follow each other in memory, and each four of them begin at a multiple of four bytes.
bool has_words(const expr::Read& read, const IterVar& terms) {
  const Tensor tensor = expr::tensor_of(read);
  if (tensor.dtype() != DType::I8 || tensor.rank() == 0 || tensor.shape().back() % kDp4aTerms != 0)
    return false;
  const expr::Affine last = expr::to_affine(expr::simplify(read.indices.back(), {}));
  if (last.coefficient(terms.var()) != 1 || last.constant % kDp4aTerms != 0) return false;
  return others_are_free_of(read, terms) && std::ranges::all_of(last.terms, [&](const expr::Affine::Term& t) {
           return is_variable(t.atom, terms) ||
                  (t.coefficient % kDp4aTerms == 0 && !expr::uses(t.atom, terms.var()));
         });
}

}  // namespace

bool are_dots(const schedule::Stage& stage, const IterVar& terms) {
  if (stage.tensor().dtype() != DType::I32 || terms.extent() % kDp4aTerms != 0) return false;
  const auto factors = factors_of(stage);
  return factors && has_words(*factors->first, terms) && has_words(*factors->second, terms);
}

bool are_dots_of_memory(const schedule::Stage& stage) {
  if (stage.compute().reduce_axes().size() != 1 || !are_dots(stage, stage.reduce_axis(0))) return false;
  return std::ranges::all_of(expr::inputs_of(stage.compute()), &Tensor::is_placeholder);
}

bool is_bordered(const Tensor& tensor) {
  if (tensor.is_placeholder() || tensor.rank() == 0) return false;
  const expr::Compute& compute = tensor.compute();
  if (compute.reduction() || compute.bodies().size() != 1) return false;
  const auto* choice = compute.bodies()[0]->as<expr::Select>();
  const auto* read = choice ? choice->on_true->as<expr::Read>() : nullptr;
  if (!read || !expr::tensor_of(*read).is_placeholder() || !choice->on_false->as<expr::IntImm>())
    return false;
  const IterVar& last = compute.axes.back();
  return is_variable(read->indices.back(), last) && others_are_free_of(*read, last) &&
         !expr::uses(choice->condition, last.var()) &&
         expr::tensor_of(*read).shape().back() == tensor.shape().back();
}

}  // namespace vdla::pipeline::gpu
