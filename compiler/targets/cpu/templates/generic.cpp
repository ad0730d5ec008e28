// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/cpu/templates/generic.h"

#include <algorithm>

#include "compiler/expr/visit.h"

namespace vdla::pipeline::cpu {
namespace {

using expr::IterVar;
using expr::Tensor;
using schedule::Stage;

/// Elements below which the start of threads costs more than it saves.
constexpr std::int64_t kParallelWork = 1 << 15;

std::int64_t work(const Stage& stage) {
  std::int64_t count = 1;
  for (std::int64_t extent : stage.tensor().shape()) count *= extent;
  for (const IterVar& axis : stage.compute().reduce_axes()) count *= axis.extent();
  return count;
}

/// Integers and floats of one size in all that the stage reads and writes, and floats alone where sums change
/// with their order: those lanes take turns otherwise.
bool is_float(const Stage& stage) { return stage.tensor().dtype() == expr::DType::F32; }

void share(Stage& stage) {
  if (work(stage) < kParallelWork) return;
  for (std::size_t d = 0; d + 1 < stage.tensor().rank(); ++d) {
    if (stage.tensor().shape()[d] == 1) continue;
    stage.parallel(stage.axis(d));
    return;
  }
}

/// The lanes of the last dimension, where it is a number of whole vectors; else an undefined axis.
IterVar split_lanes(Stage& stage, const CpuProfile& profile) {
  if (stage.tensor().rank() == 0 || !is_float(stage)) return {};
  const std::int64_t lanes = profile.lanes(4);
  const IterVar last = stage.axis(stage.tensor().rank() - 1);
  if (last.extent() % lanes != 0) return {};
  return last.extent() == lanes ? last : stage.split(last, lanes).second;
}

/// The reduction runs outside of the lanes.
void vectorize(Stage& stage, const CpuProfile& profile) {
  const IterVar lane = split_lanes(stage, profile);
  if (!lane.defined()) return;
  if (stage.has_reduction()) {
    std::vector<IterVar> order = stage.leaves();
    std::erase_if(order, [&](const IterVar& axis) { return axis == lane; });
    order.push_back(lane);
    stage.reorder(order);
  }
  stage.vectorize(lane);
}

}  // namespace

void schedule_generic(schedule::Schedule& s, const Tensor& output, const Tensor& anchor,
                      const CpuProfile& profile, bool parallel) {
  for (const Stage* constant : s.stages()) {
    if (constant->attachment().placement == schedule::Placement::Inline) continue;
    Stage& stage = s[constant->tensor()];
    if (anchor.defined() && stage.tensor() == anchor) continue;
    vectorize(stage, profile);
    if (parallel) share(stage);
  }
  if (!anchor.defined()) return;
  // As much as the output's innermost loops take at a time.
  Stage& out = s[output];
  Stage& sum = s[anchor];
  if (out.leaves().size() < 2) return vectorize(sum, profile);  // a scalar has no loop at all
  const bool by_vector = out.annotation(out.leaves().back()) == expr::ForKind::Vectorized;
  sum.compute_at(out, out.leaves()[out.leaves().size() - (by_vector ? 2 : 1)]);
  if (by_vector) {
    std::vector<IterVar> order = sum.leaves();
    const IterVar lane = sum.axis(anchor.rank() - 1);
    std::erase_if(order, [&](const IterVar& axis) { return axis == lane; });
    order.push_back(lane);
    sum.reorder(order);
    sum.vectorize(lane);
  }
}

}  // namespace vdla::pipeline::cpu
