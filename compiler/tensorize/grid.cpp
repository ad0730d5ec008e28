// SPDX-License-Identifier: Apache-2.0
#include "compiler/tensorize/grid.h"

#include "compiler/grid/thread.h"
#include "compiler/intrinsics/grid.h"
#include "compiler/intrinsics/warp.h"
#include "compiler/loop/visit.h"
#include "compiler/tensorize/match.h"

namespace vdla::tensorize {
namespace {

/// Loops that set sums to zero, as a call; otherwise the statement itself.
loop::StmtPtr filled(const loop::StmtPtr& s) {
  if (!s->as<loop::For>()) return s;
  for (const intrinsics::Intrinsic& intrinsic : intrinsics::warp_intrinsics())
    if (intrinsic.name == grid::kFillSums)
      if (const Match found = match(s, intrinsic); found.call) return found.call;
  return s;
}

}  // namespace

loop::Func tensorize_for_grid(const loop::Func& func) {
  bool has_marks = false, has_warps = false;
  loop::visit(func.body, [&](const loop::StmtPtr& s) {
    const auto* n = s->as<loop::Tensorize>();
    has_marks |= n && grid::is_operation(n->intrinsic);
    has_warps |= n && grid::is_of_warp(n->intrinsic);
  });
  if (!has_marks) return func;
  loop::Func result = func;
  result.body = loop::rewrite(func.body, [&](const loop::StmtPtr& s) {
    const auto* n = s->as<loop::Tensorize>();
    if (!n) return has_warps ? filled(s) : s;
    return grid::is_operation(n->intrinsic) ? match_any(n->body, n->intrinsic, intrinsics::grid_intrinsics())
                                            : s;
  });
  return result;
}

}  // namespace vdla::tensorize
