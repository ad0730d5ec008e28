// SPDX-License-Identifier: Apache-2.0
#include "compiler/tensorize/tensorize.h"

#include "compiler/loop/visit.h"
#include "compiler/tensorize/match.h"

namespace vdla::tensorize {

loop::Func tensorize(const loop::Func& func, std::span<const intrinsics::Intrinsic> table) {
  loop::Func result = func;
  result.body = loop::rewrite(func.body, [&](const loop::StmtPtr& s) {
    const auto* n = s->as<loop::Tensorize>();
    return n ? match_any(n->body, n->intrinsic, table) : s;
  });
  return result;
}

}  // namespace vdla::tensorize
