// SPDX-License-Identifier: Apache-2.0
#include "compiler/grid/dimensions.h"

#include <algorithm>

#include "compiler/expr/affine.h"
#include "compiler/loop/visit.h"

namespace vdla::grid {

Dimensions threads_of(const loop::StmtPtr& kernel) {
  Dimensions threads{1, 1, 1};
  loop::visit(kernel, [&](const loop::StmtPtr& s) {
    const auto* n = s->as<loop::For>();
    if (!n || !expr::is_thread(n->kind)) return;
    std::int64_t& most = threads[thread_index(n->kind)];
    most = std::max(most, expr::as_constant(n->extent).value_or(1));
  });
  return threads;
}

}  // namespace vdla::grid
