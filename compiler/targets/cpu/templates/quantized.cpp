// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/cpu/templates/quantized.h"

#include <algorithm>

namespace vdla::pipeline::cpu {
namespace {

std::int64_t largest_divisor(std::int64_t n, std::int64_t most) {
  for (std::int64_t d = std::min(n, most); d > 1; --d)
    if (n % d == 0) return d;
  return 1;
}

}  // namespace

std::optional<QuantizedKnobs> quantized_default(std::int64_t channels, std::int64_t columns,
                                                const CpuProfile& profile) {
  std::int64_t lanes = profile.lanes(4);
  while (lanes > 1 && channels % lanes != 0) lanes /= 2;
  if (lanes < 4) return std::nullopt;
  // Weights and one number of the input stand beside the sums.
  const std::int64_t vectors = largest_divisor(channels / lanes, 4);
  return QuantizedKnobs{
      lanes, vectors,
      largest_divisor(columns, std::min<std::int64_t>(8, profile.vector_registers / vectors - 2))};
}

void schedule_quantized(schedule::Schedule& s, const expr::Tensor& out, const expr::Tensor& sums,
                        const QuantizedKnobs& k, bool parallel) {
  using expr::IterVar;
  const std::size_t rank = out.rank();
  schedule::Stage& output = s[out];
  const auto [co, ci] = output.split(output.axis(rank - 1), k.lanes * k.vectors);
  const auto [cv, lane] = output.split(ci, k.lanes);
  const auto [xo, xi] = output.split(output.axis(rank - 2), k.columns);
  const IterVar &outer = k.columns_inside ? co : xo, &inner = k.columns_inside ? xo : co;
  output.reorder({outer, inner, xi, cv, lane});
  output.vectorize(lane).unroll(xi).unroll(cv);
  if (parallel) {
    for (const IterVar& axis : output.leaves()) {
      if (axis.extent() == 1 || axis == xi || axis == cv || axis == lane) continue;
      output.parallel(axis);
      break;
    }
  }
  schedule::Stage& sum = s[sums];
  sum.compute_at(output, inner);
  const auto [sv, sl] = sum.split(sum.axis(rank - 1), k.lanes);
  std::vector<IterVar> order = sum.compute().reduce_axes();
  if (k.step > 1) {
    const auto [so, si] = sum.split(order.back(), k.step);
    sum.unroll(si);
    order.back() = so;
    order.push_back(si);
  }
  order.insert(order.end(), {sum.axis(rank - 2), sv, sl});
  sum.reorder(order);
  sum.unroll(sum.axis(rank - 2)).unroll(sv).vectorize(sl);
  // Stages of the input for a row of the result are computed before that row.
  for (const expr::Tensor& input : expr::inputs_of(sum.compute())) {
    if (!s.has_stage(input) || input.shape().back() % k.lanes != 0) continue;
    schedule::Stage& made = s[input];
    if (made.attachment().placement == schedule::Placement::Inline) continue;
    made.compute_at(output, output.axis(rank - 3));
    made.vectorize(made.split(made.axis(input.rank() - 1), k.lanes).second);
  }
}

}  // namespace vdla::pipeline::cpu
