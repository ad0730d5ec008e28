// SPDX-License-Identifier: Apache-2.0
#include "compiler/intrinsics/grid.h"

#include <algorithm>
#include <iterator>

#include "compiler/expr/affine.h"
#include "compiler/expr/visit.h"
#include "compiler/intrinsics/table.h"
#include "compiler/intrinsics/thread.h"
#include "compiler/intrinsics/warp.h"
#include "compiler/loop/print.h"
#include "support/error.h"

namespace vdla::intrinsics {
namespace {

/// An element of a region whose buffer has one dimension.
expr::ExprPtr place_in(const loop::Region& region, const std::vector<expr::ExprPtr>& indices) {
  expr::Affine sum = expr::to_affine(region.origin.at(0));
  for (std::size_t d = 0; d < indices.size(); ++d)
    sum = sum + expr::to_affine(indices[d]) * region.strides[d];
  return expr::to_expr(sum);
}

/// A call without attributes, of buffers of one dimension.
loop::StmtPtr loops_of_call(const Intrinsic& intrinsic, const loop::IntrinsicCall& call) {
  VDLA_CHECK(intrinsic.attributes.empty() && !call.reset) << "loops of '" << call.name << "' with attributes";
  const expr::Compute& compute = intrinsic.behaviour;
  std::vector<std::pair<expr::VarPtr, std::int64_t>> loops;
  expr::Substitution fresh;
  for (const auto& list : {compute.axes, compute.reduce_axes()})
    for (const expr::IterVar& axis : list) {
      loops.emplace_back(expr::make_var(axis.name()), axis.extent());
      fresh[axis.var()] = expr::var_ref(loops.back().first);
    }
  const expr::Reduce* reduction = compute.reduction();
  expr::ExprPtr value =
      expr::rewrite(reduction ? reduction->sources[0] : compute.body, [&](const expr::ExprPtr& node) {
        const auto* read = node->as<expr::Read>();
        for (std::size_t i = 0; read && i < intrinsic.inputs.size(); ++i)
          if (intrinsic.inputs[i].tensor.node() == read->tensor)
            return expr::load(call.inputs[i].buffer, {place_in(call.inputs[i], read->indices)});
        return node;
      });
  value = expr::substitute(value, fresh);
  std::vector<expr::ExprPtr> at;
  for (const expr::IterVar& axis : compute.axes) at.push_back(fresh.at(axis.var()));
  const loop::Region& to = call.outputs[0];
  const std::vector<expr::ExprPtr> place{place_in(to, at)};
  if (intrinsic.accumulates)
    value = expr::combine(*intrinsic.accumulates, expr::load(to.buffer, place), value);
  loop::StmtPtr body = loop::store(to.buffer, place, value);
  for (auto it = loops.rbegin(); it != loops.rend(); ++it)
    body = loop::make_for(it->first, it->second, std::move(body));
  return body;
}

const Intrinsic& operation_of(const loop::IntrinsicCall& call) {
  const Intrinsic* intrinsic = find(grid_intrinsics(), call);
  const std::string text = loop::to_string(loop::intrinsic_call(call));
  VDLA_CHECK_USER(intrinsic) << "'" << text.substr(0, text.find('\n')) << "': no operation '" << call.name
                             << "' of kernels has these operands";
  return *intrinsic;
}

}  // namespace

const std::vector<Intrinsic>& grid_intrinsics() {
  static const std::vector<Intrinsic> table = [] {
    std::vector<Intrinsic> made = thread_intrinsics();
    std::ranges::copy(warp_intrinsics(), std::back_inserter(made));
    return made;
  }();
  return table;
}

loop::StmtPtr loops_of_operation(const loop::IntrinsicCall& call) {
  return loops_of_call(operation_of(call), call);
}

void require_operation(const loop::IntrinsicCall& call) { operation_of(call); }

}  // namespace vdla::intrinsics
