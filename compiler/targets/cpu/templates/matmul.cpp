// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/cpu/templates/matmul.h"

#include <algorithm>

#include "support/ceil_div.h"

namespace vdla::pipeline::cpu {
namespace {

using expr::IterVar;
using expr::Tensor;

}  // namespace

PanelKnobs panels_default(const Panels& p, const CpuProfile& m) {
  const std::int64_t vectors = p.width / m.lanes(4);
  // A row's number and a panel's vectors stand beside the sums.
  const std::int64_t most = std::max<std::int64_t>(1, (m.vector_registers - 1 - vectors) / vectors);
  PanelKnobs knobs{1};
  for (std::int64_t d = 1; d <= std::min(p.rows, most); ++d)
    if (p.rows % d == 0) knobs.row_tile = d;
  return knobs;
}

double panels_cost(const Panels& p, const PanelKnobs& k, const CpuProfile& m) {
  const auto real = [](std::int64_t v) { return static_cast<double>(v); };
  const double vectors = real(p.width / m.lanes(4)), sums = real(k.row_tile) * vectors;
  double cycles =
      std::max({sums / real(m.fma_per_cycle), (real(k.row_tile) + vectors) / 2, real(m.fma_latency)});
  cycles += 2 * std::max(0.0, sums + vectors + 1 - real(m.vector_registers));
  cycles += k.step > 1 ? 0.25 : 0.5;  // cost of the loop
  const double tiles = real(ceil_div(p.rows, k.row_tile) * p.panels);
  return tiles * (real(p.depth) * cycles + 2 * sums + 20);
}

void schedule_panels(schedule::Schedule& s, const Tensor& out, const Tensor& sums, const PanelKnobs& k,
                     const CpuProfile& m, bool parallel) {
  const std::int64_t lanes = m.lanes(4), panel = sums.shape()[2];
  schedule::Stage& output = s[out];
  const auto [mo, mi] = output.split(output.axis(0), k.row_tile);
  const auto [no, ni] = output.split(output.axis(1), panel);
  const auto [nv, lane] = output.split(ni, lanes);
  const IterVar &outer = k.rows_outside ? mo : no, &inner = k.rows_outside ? no : mo;
  output.reorder({outer, inner, mi, nv, lane});
  output.unroll(mi).unroll(nv).vectorize(lane);
  if (parallel) output.parallel(k.share_rows ? mo : no);
  schedule::Stage& sum = s[sums];
  sum.compute_at(output, inner);
  const auto [sv, sl] = sum.split(sum.axis(2), lanes);
  std::vector<IterVar> order{sum.reduce_axis(0)};
  if (k.step > 1) {
    const auto [ko, ki] = sum.split(order[0], k.step);
    sum.unroll(ki);
    order = {ko, ki};
  }
  order.insert(order.end(), {sum.axis(0), sum.axis(1), sv, sl});
  sum.reorder(order);
  sum.unroll(sum.axis(0)).unroll(sv).vectorize(sl);
}

}  // namespace vdla::pipeline::cpu
