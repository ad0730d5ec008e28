// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/storage.h"

#include <algorithm>
#include <utility>

#include "compiler/expr/simplify.h"

namespace vdla::lower {

using expr::Affine;

StagePlan* find_plan(const Plan& plan, const schedule::Stage* stage) {
  const auto found =
      std::ranges::find(plan.stages, stage, [](const auto& candidate) { return candidate->stage; });
  return found == plan.stages.end() ? nullptr : found->get();
}

bool lies_within(const Plan& plan, const StagePlan& p, std::size_t d, const Affine& first,
                 std::int64_t extent) {
  const auto distance = expr::bounds(p.min[d] - first, plan.ranges);
  return distance && distance->low >= 0 && distance->high + p.extent[d] <= extent;
}

void lie_in(const Plan& plan, StagePlan& p, const StagePlan& holder, std::vector<Affine> origin) {
  p.buffers = holder.buffers;
  p.origin = std::move(origin);
  for (std::size_t d = 0; d < p.local_indices.size(); ++d) {
    const Affine index = expr::to_affine(p.local_indices[d]) + p.min[d] - p.origin[d];
    p.local_indices[d] = expr::simplify(expr::to_expr(index), plan.ranges);
  }
}

}  // namespace vdla::lower
