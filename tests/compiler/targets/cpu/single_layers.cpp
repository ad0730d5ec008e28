// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/targets/cpu/single_layers.h"

#include <algorithm>

#include "compiler/expr/dsl.h"
#include "compiler/graph/block_layouts.h"
#include "compiler/graph/ops.h"
#include "compiler/lower/lower.h"
#include "compiler/schedule/schedule.h"
#include "support/ceil_div.h"
#include "support/error.h"

namespace vdla::pipeline::cpu {
namespace {

using expr::DType;
using expr::IterVar;
using expr::Tensor;
using expr::Value;

struct ConvTensors {
  Tensor input, weights, bias, sum, output;
};

ConvTensors express(const Conv2d& c, const Conv2dKnobs& k) {
  ConvTensors t;
  const std::int64_t ic = ceil_div(c.in_channels, k.in_block), oc = ceil_div(c.out_channels, k.out_block);
  t.input = expr::placeholder("input", {1, ic, c.in_height, c.in_width, k.in_block}, DType::F32);
  t.weights = expr::placeholder("weights", {oc, ic, c.kernel_height, c.kernel_width, k.in_block, k.out_block},
                                DType::F32);
  t.sum = graph::convolve_blocks({{c.stride_height, c.stride_width},
                                  {1, 1},
                                  {c.pad_top, c.pad_left},
                                  {c.pad_bottom, c.pad_right},
                                  ic * k.in_block,
                                  c.out_channels},
                                 t.input, t.weights);
  if (c.bias) t.bias = expr::placeholder("bias", {oc, k.out_block}, DType::F32);
  t.output = expr::compute("output", t.sum.shape(),
                           [&](Value n, Value o, Value h, Value w, Value v) {
                             Value value = t.sum(n, o, h, w, v);
                             if (c.bias) value = value + t.bias(o, v);
                             return c.relu ? expr::maximum(value, 0.0) : value;
                           },
                           {"n", "k", "p", "q", "kv"});
  return t;
}

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

loop::Func conv2d(const Conv2d& c, const Conv2dKnobs& k, const std::string& name) {
  const ConvTensors t = express(c, k);
  schedule::Schedule s({t.output});
  schedule_conv2d(s, t.output, t.sum, k, false);
  std::vector<Tensor> args{t.input, t.weights};
  if (c.bias) args.push_back(t.bias);
  args.push_back(t.output);
  return lower::lower(s, args, name);
}

std::vector<float> pack_weights(const Conv2d& c, const Conv2dKnobs& k, std::span<const float> weights) {
  return graph::pack_weights(weights, c.out_channels, c.in_channels, c.kernel_height * c.kernel_width,
                             k.in_block, k.out_block);
}

std::vector<float> pack_channels(std::int64_t channels, std::int64_t block, std::span<const float> values) {
  std::vector<float> packed(static_cast<std::size_t>(ceil_div(channels, block) * block), 0.0f);
  std::ranges::copy(values, packed.begin());
  return packed;
}

std::vector<float> pack_image(std::int64_t channels, std::int64_t block, std::span<const float> image) {
  const std::int64_t size = static_cast<std::int64_t>(image.size()) / channels;
  std::vector<float> packed(static_cast<std::size_t>(ceil_div(channels, block) * block * size), 0.0f);
  for (std::int64_t c = 0; c < channels; ++c) {
    for (std::int64_t i = 0; i < size; ++i) {
      packed[static_cast<std::size_t>((c / block * size + i) * block + c % block)] =
          image[static_cast<std::size_t>(c * size + i)];
    }
  }
  return packed;
}

std::vector<float> unpack_image(std::int64_t channels, std::int64_t block, std::span<const float> image) {
  const std::int64_t size = static_cast<std::int64_t>(image.size()) / (ceil_div(channels, block) * block);
  std::vector<float> plain(static_cast<std::size_t>(channels * size));
  for (std::int64_t c = 0; c < channels; ++c) {
    for (std::int64_t i = 0; i < size; ++i) {
      plain[static_cast<std::size_t>(c * size + i)] =
          image[static_cast<std::size_t>((c / block * size + i) * block + c % block)];
    }
  }
  return plain;
}

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

std::vector<float> pack_panels(const Matmul& p, const MatmulKnobs& k, std::span<const float> b) {
  return graph::pack_panels(b, p.k, p.n, k.panel);
}

}  // namespace vdla::pipeline::cpu
