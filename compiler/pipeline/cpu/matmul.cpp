// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/cpu/matmul.h"

#include <algorithm>

#include "support/ceil_div.h"

namespace vdla::pipeline::cpu {
namespace {

using expr::IterVar;
using expr::Tensor;
<<<<<<< HEAD
using expr::Value;

struct MatmulTensors {
  Tensor a, b, bias, tiles, panels, sum, output;
};

/// Rows and columns beyond the end are zero in the packed forms, and never stored.
MatmulTensors express(const Matmul& p, const MatmulKnobs& k) {
  MatmulTensors t;
  const std::int64_t row_tiles = ceil_div(p.m, k.row_tile), panels = ceil_div(p.n, k.panel);
  t.a = expr::placeholder("a", {p.m, p.k}, DType::F32);
  t.tiles =
      expr::compute("tiles", {row_tiles, p.k, k.row_tile},
                    [&](Value o, Value d, Value i) {
                      const Value row = o * k.row_tile + i;
                      return p.m % k.row_tile == 0 ? t.a(row, d) : expr::select(row < p.m, t.a(row, d), 0.0);
                    },
                    {"mo", "k", "mi"});
  if (p.constant_b) {
    t.b = t.panels = expr::placeholder("b", {panels, p.k, k.panel}, DType::F32);
  } else {
    t.b = expr::placeholder("b", {p.k, p.n}, DType::F32);
    t.panels = expr::compute("panels", {panels, p.k, k.panel},
                             [&](Value o, Value d, Value j) {
                               const Value column = o * k.panel + j;
                               return p.n % k.panel == 0 ? t.b(d, column)
                                                         : expr::select(column < p.n, t.b(d, column), 0.0);
                             },
                             {"no", "k", "ni"});
  }
  const IterVar d = expr::reduce_axis(p.k, "k");
  t.sum = expr::compute("sum", {row_tiles, k.row_tile, panels, k.panel},
                        [&](Value mo, Value mi, Value no, Value ni) {
                          return expr::sum(t.tiles(mo, d, mi) * t.panels(no, d, ni), {d});
                        },
                        {"mo", "mi", "no", "ni"});
  if (p.bias) t.bias = expr::placeholder("bias", {p.n}, DType::F32);
  t.output = expr::compute("output", {p.m, p.n},
                           [&](Value i, Value j) {
                             Value value =
                                 t.sum(expr::floor_div(i, k.row_tile), expr::floor_mod(i, k.row_tile),
                                       expr::floor_div(j, k.panel), expr::floor_mod(j, k.panel));
                             if (p.bias) value = value + t.bias(j);
                             return p.relu ? expr::maximum(value, 0.0) : value;
                           },
                           {"m", "n"});
  return t;
}

/// Cycles for one multiplication-addition of a vector.
double cost(const Matmul& p, const MatmulKnobs& k, const CpuProfile& m) {
  const double vectors = static_cast<double>(k.panel / k.lanes), rows = static_cast<double>(k.row_tile);
  const double sums = rows * vectors;
  double cycles = std::max({sums / static_cast<double>(m.fma_per_cycle), (rows + vectors) / 2,
                            static_cast<double>(m.fma_latency)});
  const double spilled = std::max(0.0, sums + vectors + 1 - static_cast<double>(m.vector_registers));
  cycles += 2 * spilled;
  // Panel and tile stream from the second-level cache.
  const double bytes = vectors * static_cast<double>(m.vector_bytes) + 4 * rows;
  cycles += std::max(0.0, bytes / 32 - cycles / 2);
  const double padded = static_cast<double>(ceil_div(p.m, k.row_tile) * k.row_tile) *
                        static_cast<double>(ceil_div(p.n, k.panel) * k.panel);
  // Cost of B, which every band reads again, half a line in four cycles; the packed A of a band wants half of
  // the cache.
  const double band_fit =
      4.0 * static_cast<double>(k.row_band * p.k) > 0.5 * static_cast<double>(m.l2_bytes) ? 0.2 : 0;
  const double again = 8.0 / static_cast<double>(std::min(k.row_band, p.m));
  return cycles / sums * padded / (static_cast<double>(p.m) * static_cast<double>(p.n)) + again * 0.25 +
         band_fit;
}
=======
>>>>>>> 5a5d7e1b79475d6f73009dda746b11568021d481

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
