// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/cpu/matmul.h"

#include <algorithm>

#include "compiler/expr/dsl.h"
#include "compiler/graph/block_layouts.h"
#include "compiler/lower/lower.h"
#include "support/ceil_div.h"
#include "support/error.h"

namespace vdla::pipeline::cpu {
namespace {

using expr::DType;
using expr::IterVar;
using expr::Tensor;
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

}  // namespace

std::vector<MatmulKnobs> matmul_space(const Matmul& p, const CpuProfile& m) {
  std::vector<MatmulKnobs> space;
  const std::int64_t lanes = m.lanes(4);
  for (std::int64_t vectors = 1; vectors <= 4; ++vectors) {
    for (std::int64_t rows = 1; rows <= 16 && rows <= p.m; ++rows) {
      if (rows * vectors > m.vector_registers) break;
      for (std::int64_t tiles = 1; tiles <= 64; tiles *= 2) {
        if (tiles > 1 && rows * tiles >= 2 * p.m) break;
        space.push_back({lanes * vectors, lanes, rows, rows * tiles});
      }
    }
  }
  return space;
}

MatmulKnobs matmul_default(const Matmul& p, const CpuProfile& m) {
  const std::vector<MatmulKnobs> space = matmul_space(p, m);
  VDLA_CHECK(!space.empty()) << "no way to compute a matrix product";
  return *std::ranges::min_element(space, {}, [&](const MatmulKnobs& k) { return cost(p, k, m); });
}

loop::Func matmul(const Matmul& p, const MatmulKnobs& k, const std::string& name) {
  const MatmulTensors t = express(p, k);
  schedule::Schedule s({t.output});
  schedule::Stage& output = s[t.output];
  const auto [mo, mi] = output.split(output.axis(0), k.row_tile);
  const auto [band, tile] = output.split(mo, std::max<std::int64_t>(1, k.row_band / k.row_tile));
  const auto [no, ni] = output.split(output.axis(1), k.panel);
  const auto [nv, lane] = output.split(ni, k.lanes);
  output.reorder({band, no, tile, mi, nv, lane});
  output.unroll(mi).unroll(nv).vectorize(lane);
  schedule::Stage& sum = s[t.sum];
  sum.compute_at(output, tile);
  const auto [sv, sl] = sum.split(sum.axis(3), k.lanes);
  sum.reorder({sum.reduce_axis(0), sum.axis(0), sum.axis(1), sum.axis(2), sv, sl});
  sum.unroll(sum.axis(1)).unroll(sv).vectorize(sl);
  s[t.tiles].compute_at(output, band);
  if (!p.constant_b) {
    schedule::Stage& panels = s[t.panels];
    const auto [pv, pl] = panels.split(panels.axis(2), k.lanes);
    panels.unroll(pv).vectorize(pl);
  }
  std::vector<Tensor> args{t.a, t.b};
  if (p.bias) args.push_back(t.bias);
  args.push_back(t.output);
  return lower::lower(s, args, name);
}

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

std::vector<float> pack_panels(const Matmul& p, const MatmulKnobs& k, std::span<const float> b) {
  return graph::pack_panels(b, p.k, p.n, k.panel);
}

}  // namespace vdla::pipeline::cpu
