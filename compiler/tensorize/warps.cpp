// SPDX-License-Identifier: Apache-2.0
#include "compiler/tensorize/warps.h"

#include <algorithm>

#include "compiler/grid/warp.h"
#include "compiler/intrinsics/warp.h"
#include "compiler/loop/visit.h"
#include "compiler/tensorize/match.h"

namespace vdla::tensorize {
namespace {

using intrinsics::warp_intrinsics;

bool is_of_warp(const std::string& name) {
  return std::ranges::find(warp_intrinsics(), name, &intrinsics::Intrinsic::name) != warp_intrinsics().end();
}

/// Loops that set sums to zero, as a call; otherwise the statement itself.
loop::StmtPtr filled(const loop::StmtPtr& s) {
  if (!s->as<loop::For>()) return s;
  for (const intrinsics::Intrinsic& intrinsic : warp_intrinsics())
    if (intrinsic.name == grid::kFillSums)
      if (const Match found = match(s, intrinsic); found.call) return found.call;
  return s;
}

}  // namespace

loop::Func tensorize_for_warps(const loop::Func& func) {
  bool has_marks = false;
  loop::visit(func.body, [&](const loop::StmtPtr& s) {
    const auto* n = s->as<loop::Tensorize>();
    has_marks |= n && is_of_warp(n->intrinsic);
  });
  if (!has_marks) return func;
  loop::Func result = func;
  result.body = loop::rewrite(func.body, [](const loop::StmtPtr& s) {
    const auto* n = s->as<loop::Tensorize>();
    if (!n) return filled(s);
    return is_of_warp(n->intrinsic) ? match_any(n->body, n->intrinsic, warp_intrinsics()) : s;
  });
  return result;
}

}  // namespace vdla::tensorize
