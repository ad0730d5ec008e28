// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/gpu/templates/stages.h"

#include <algorithm>
#include <tuple>

#include "compiler/expr/visit.h"
#include "support/ceil_div.h"
#include "support/error.h"

namespace vdla::pipeline::gpu {
namespace {

using expr::ExprPtr;
using expr::IterVar;
using expr::Tensor;
using schedule::Placement;
using schedule::Schedule;
using schedule::Stage;

bool is_inline(const Stage& stage) { return stage.attachment().placement == Placement::Inline; }

bool reads_much(const Stage& reader, const Tensor& tensor) {
  return elements_of(reader.tensor()) * terms_of(reader) > elements_of(tensor);
}

bool goes_inline(const Schedule& s, const Stage& stage) {
  const std::vector<const Stage*> readers = s.readers_of(stage.tensor());
  if (readers.size() == 1 && readers[0]->has_reduction()) return true;  // a border, as a rule
  return readers.size() <= 2 && std::ranges::none_of(readers, [&](const Stage* reader) {
           return reads_much(*reader, stage.tensor());
         });
}

/// Whether all places at which `e` reads `tensor`, through stages inside of it, are the variables of `axes`.
bool reads_at(const Schedule& s, const ExprPtr& e, const Tensor& tensor, const std::vector<IterVar>& axes) {
  bool own = true;
  expr::visit(e, [&](const ExprPtr& part) {
    const auto* read = part->as<expr::Read>();
    if (!read || !own) return;
    if (read->tensor == tensor.node()) {
      for (std::size_t d = 0; d < axes.size(); ++d) {
        const auto* index = read->indices[d]->as<expr::VarRef>();
        const auto* one = read->indices[d]->as<expr::IntImm>();
        own &= (index && index->var == axes[d].var()) || (one && one->value == 0 && axes[d].extent() == 1);
      }
      return;
    }
    const Tensor from = expr::tensor_of(*read);
    if (from.is_placeholder() || !s.has_stage(from) || !is_inline(s[from])) return;
    expr::Substitution values;
    const schedule::Compute& compute = s[from].compute();
    for (std::size_t d = 0; d < compute.axes.size(); ++d) values[compute.axes[d].var()] = read->indices[d];
    own &= reads_at(s, expr::substitute(compute.bodies()[read->part], values), tensor, axes);
  });
  return own;
}

/// An element of a tensor, cast or rounded to tf32, less a zero point of 0; or null.
const expr::Read* factor_of(const ExprPtr& e) {
  const auto* difference = e->as<expr::Binary>();
  if (difference && difference->op == expr::BinaryOp::Sub && expr::as_constant(difference->b) == 0)
    return factor_of(difference->a);
  if (const auto* cast = e->as<expr::Cast>()) return cast->a->as<expr::Read>();
  const auto* call = e->as<expr::Call>();
  return call && call->function == expr::Function::RoundTf32 ? call->arguments[0]->as<expr::Read>() : nullptr;
}

}  // namespace

std::optional<std::pair<const expr::Read*, const expr::Read*>> factors_of(const Stage& stage) {
  const expr::Reduce* reduction = stage.compute().reduction();
  if (!reduction || reduction->sources.size() != 1) return std::nullopt;
  const auto* how = std::get_if<expr::Reducer>(&reduction->how);
  const auto* product = reduction->sources[0]->as<expr::Binary>();
  if (!how || *how != expr::Reducer::Sum || !product || product->op != expr::BinaryOp::Mul)
    return std::nullopt;
  const expr::Read *a = factor_of(product->a), *b = factor_of(product->b);
  if (!a || !b || a->tensor == b->tensor) return std::nullopt;
  return std::pair(a, b);
}

std::int64_t elements_of(const Tensor& tensor) {
  std::int64_t count = 1;
  for (const std::int64_t extent : tensor.shape()) count *= extent;
  return count;
}

std::int64_t terms_of(const Stage& stage) {
  std::int64_t count = 1;
  for (const IterVar& axis : stage.compute().reduce_axes()) count *= axis.extent();
  return count;
}

void inline_stages(Schedule& s, const Tensor& output, const std::vector<Tensor>& results,
                   const std::vector<Tensor>& kept) {
  const auto is_among = [](const std::vector<Tensor>& tensors, const Tensor& tensor) {
    return std::ranges::any_of(tensors, [&](const Tensor& one) { return one.node() == tensor.node(); });
  };
  for (const Stage* stage : s.stages()) {
    const Tensor& tensor = stage->tensor();
    if (tensor.node() == output.node() || stage->has_reduction() || stage->compute().recurrence) continue;
    if (is_among(kept, tensor)) continue;
    if (is_among(results, tensor) || goes_inline(s, *stage)) s[tensor].compute_inline();
  }
}

std::vector<Tensor> stored_stages(const Schedule& s, const Tensor& output) {
  std::vector<Tensor> stored;
  for (const Stage* stage : s.stages())
    if (!is_inline(*stage) && stage->tensor().node() != output.node()) stored.push_back(stage->tensor());
  return stored;
}

bool reads_own_place(const Schedule& s, const Tensor& reader, const Tensor& tensor) {
  if (reader.shape() != tensor.shape()) return false;
  const schedule::Compute& compute = s[reader].compute();
  return std::ranges::all_of(compute.bodies(),
                             [&](const ExprPtr& body) { return reads_at(s, body, tensor, compute.axes); });
}

IterVar fuse_all(Stage& stage, const std::vector<IterVar>& axes) {
  VDLA_CHECK(!axes.empty()) << "no loops of '" << stage.name() << "' to fuse";
  IterVar all = axes[0];
  for (std::size_t i = 1; i < axes.size(); ++i) all = stage.fuse(all, axes[i]);
  return all;
}

IterVar fuse_all(Stage& stage) {
  std::vector<IterVar> axes;
  for (std::size_t d = 0; d < stage.tensor().rank(); ++d) axes.push_back(stage.axis(d));
  return fuse_all(stage, axes);
}

void share_among_threads(Stage& stage, IterVar loop, std::int64_t pieces, const Threads& threads,
                         std::int64_t most) {
  constexpr expr::ForKind kKinds[] = {expr::ForKind::ThreadX, expr::ForKind::ThreadY, expr::ForKind::ThreadZ};
  for (std::size_t i = 0; i < threads.size(); ++i) {
    if (threads[i] == 1) continue;
    IterVar own;
    std::tie(loop, own) = stage.split(loop, threads[i]);
    stage.bind(own, kKinds[i]);
    pieces = ceil_div(pieces, threads[i]);
  }
  if (pieces <= most) stage.unroll(loop);
}

}  // namespace vdla::pipeline::gpu
