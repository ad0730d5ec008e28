// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/cpu/quantized.h"

#include <algorithm>

namespace vdla::pipeline::cpu {
namespace {

std::int64_t largest_divisor(std::int64_t n, std::int64_t most) {
  for (std::int64_t d = std::min(n, most); d > 1; --d)
    if (n % d == 0) return d;
  return 1;
}

}  // namespace

bool schedule_quantized(schedule::Schedule& s, const expr::Tensor& out, const expr::Tensor& sums,
                        const Machine& machine, bool parallel) {
  using expr::IterVar;
  const std::size_t rank = out.rank();
  if (rank < 2 || sums.rank() != rank) return false;
  const std::int64_t channels = out.shape()[rank - 1];
  std::int64_t lanes = machine.lanes(4);
  while (lanes > 1 && channels % lanes != 0) lanes /= 2;
  if (lanes < 4) return false;
  // Weights and one number of the input stand beside the sums.
  const std::int64_t vectors = largest_divisor(channels / lanes, 4);
  const std::int64_t columns = largest_divisor(
      out.shape()[rank - 2], std::min<std::int64_t>(8, machine.vector_registers / vectors - 2));
  schedule::Stage& output = s[out];
  const auto [co, ci] = output.split(output.axis(rank - 1), lanes * vectors);
  const auto [cv, lane] = output.split(ci, lanes);
  const auto [xo, xi] = output.split(output.axis(rank - 2), columns);
  output.reorder({xo, co, xi, cv, lane});
  output.vectorize(lane);
  if (parallel) {
    for (const IterVar& axis : output.leaves()) {
      if (axis.extent() == 1 || axis == xi || axis == cv || axis == lane) continue;
      output.parallel(axis);
      break;
    }
  }
  schedule::Stage& sum = s[sums];
  sum.compute_at(output, co);
  const auto [sv, sl] = sum.split(sum.axis(rank - 1), lanes);
  std::vector<IterVar> order = sum.compute().reduce_axes();
  order.insert(order.end(), {sum.axis(rank - 2), sv, sl});
  sum.reorder(order);
  sum.unroll(sum.axis(rank - 2)).unroll(sv).vectorize(sl);
  return true;
}

}  // namespace vdla::pipeline::cpu
