// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/cpu/templates/dot.h"

#include <algorithm>

#include "compiler/tensorize/host_table.h"
#include "support/ceil_div.h"

namespace vdla::pipeline::cpu {
namespace {

using expr::IterVar;
using expr::Tensor;
using schedule::Stage;

/// Elements below which the start of threads costs more than it saves.
constexpr std::int64_t kParallelElements = 1 << 15;

/// Most terms of sums whose output stage is written out for a tile: they stay in registers then. With more of
/// them it is a small part of the time, and the code takes twice as long to compile.
constexpr std::int64_t kFewTerms = 160;

std::int64_t terms_of(const Tensor& sums) {
  std::int64_t terms = 1;
  for (const IterVar& axis : sums.compute().reduce_axes()) terms *= axis.extent();
  return terms;
}

/// Registers beside the sums: constants of the output stage, and without the instruction products.
constexpr std::int64_t kBeside = 4;

/// Cycles for one dot product of a vector: by the instruction's rate, by its latency, and by the loads of
/// weights and of the data for each step.
double step_cost(std::int64_t vectors, std::int64_t columns, const CpuProfile& m) {
  const auto real = [](std::int64_t v) { return static_cast<double>(v); };
  const double sums = real(vectors * columns);
  const double loads = real(vectors + columns) / 2;
  const double weights = real(vectors * m.vector_bytes) / 32;  // from the second-level cache
  return std::max({sums / real(m.fma_per_cycle), real(m.fma_latency), loads, weights}) / sums;
}

/// The last dimension as vectors, rows to threads.
void schedule_input(Stage& stage, const CpuProfile& m, bool parallel) {
  const auto& shape = stage.tensor().shape();
  std::int64_t elements = 1;
  for (std::int64_t extent : shape) elements *= extent;
  const IterVar last = stage.axis(shape.size() - 1);
  std::int64_t lanes = m.vector_bytes;
  while (last.extent() % lanes != 0) lanes /= 2;
  if (lanes > 1) stage.vectorize(last.extent() == lanes ? last : stage.split(last, lanes).second);
  if (parallel && shape.size() > 2 && elements >= kParallelElements) stage.parallel(stage.axis(1));
}

/// Whether a copy of the input is only its elements made unsigned, and would take longer than to do that
/// where they are read: there are more of them than of the result, and each is for several vectors.
bool shifts_when_read(const Tensor& copy, const Tensor& out, const DotKnobs& k) {
  if (k.vectors == 1 || copy.shape().back() < out.shape().back()) return false;
  const auto* shift = copy.compute().bodies()[0]->as<expr::Binary>();
  return shift && shift->op == expr::BinaryOp::Xor && shift->a->as<expr::Cast>();
}

}  // namespace

std::optional<DotKnobs> dot_default(const Dots& layer, const CpuProfile& m) {
  const std::int64_t channels = layer.channels, columns = layer.columns;
  std::int64_t lanes = std::min<std::int64_t>(m.lanes(4), 16);
  while (lanes >= 4 && channels % lanes != 0) lanes /= 2;
  if (lanes < 4) return std::nullopt;
  DotKnobs best{lanes, 1, 1, 2 * layer.weight_bytes <= m.l2_bytes};
  const auto rank = [&](const DotKnobs& k) {
    return std::pair(step_cost(k.vectors, k.columns, m), -k.vectors * k.columns);
  };
  for (std::int64_t v = 1; v <= std::min<std::int64_t>(channels / lanes, 8); ++v) {
    if (channels / lanes % v != 0) continue;
    for (std::int64_t c = 1; c <= std::min<std::int64_t>(columns, 16); ++c) {
      if (columns % c != 0 || v * c + v + kBeside > m.vector_registers) continue;
      const DotKnobs knobs{lanes, v, c, best.rows_outside};
      if (rank(knobs) < rank(best)) best = knobs;
    }
  }
  return best;
}

double dot_cost(const Dots& layer, const DotKnobs& k, const CpuProfile& m) {
  const auto real = [](std::int64_t v) { return static_cast<double>(v); };
  const double ragged = real(ceil_div(layer.columns, k.columns) * k.columns) / real(layer.columns);
  double step = step_cost(k.vectors, k.columns, m);
  const std::int64_t sums = k.vectors * k.columns;
  // Sums that find no register go through memory; and the loop itself.
  step += 2 * std::max(0.0, real(sums + k.vectors + kBeside - m.vector_registers)) / real(sums);
  step += (k.step > 1 ? 0.25 : 0.5) / real(sums);
  double cycles = real(layer.work) / 4 / real(k.lanes) * step * (1 + ragged) / 2;
  // All weights for each band of rows, from beyond the second-level cache.
  if (k.rows_outside && 2 * layer.weight_bytes > m.l2_bytes)
    cycles += real(layer.images * ceil_div(layer.rows, k.band) * layer.weight_bytes) / 32;
  return cycles;
}

graph::DotLayout dot_layout(const DotKnobs& k, const CpuProfile& m) {
  return {k.lanes * k.vectors, m.dot_product};
}

void schedule_dots(schedule::Schedule& s, const Tensor& out, const Tensor& sums, const DotKnobs& k,
                   const CpuProfile& m, bool parallel) {
  const std::size_t rank = out.rank();
  Stage& output = s[out];
  const auto [oo, oi] = output.split(output.axis(rank - 1), k.lanes * k.vectors);
  const auto [ov, lane] = output.split(oi, k.lanes);
  const auto [xo, xi] = output.split(output.axis(rank - 2), k.columns);
  std::vector<IterVar> order;
  for (std::size_t d = 0; d + 2 < rank; ++d) order.push_back(output.axis(d));
  if (k.rows_outside && k.band > 1) {
    const auto [band, row] = output.split(order.back(), k.band);
    order.back() = band;
    order.insert(order.end(), {oo, row});
  } else {
    order.insert(k.rows_outside ? order.end() : order.begin(), oo);
  }
  order.insert(order.end(), {xo, ov, xi, lane});  // values of channels stay in registers
  output.reorder(order).vectorize(lane);
  if (terms_of(sums) <= kFewTerms) output.unroll(ov).unroll(xi);
  if (parallel) {
    std::vector<IterVar> running(order.begin(), order.end() - 3);
    std::erase_if(running, [](const IterVar& a) { return a.extent() <= 1; });
    const auto last = static_cast<std::int64_t>(running.size());
    if (last > 0) output.parallel(running[static_cast<std::size_t>(std::min(k.share, last) - 1)]);
  }
  // Registers are only named by constants: to loops of the output the sums go through memory.
  const Tensor registers = s.cache_write(sums, expr::kGlobalScope);
  const auto tile = [&](Stage& stage) {
    const auto [v, l] = stage.split(stage.axis(rank), k.lanes);
    stage.unroll(stage.axis(rank - 2)).unroll(v).vectorize(l);
    return std::pair(v, l);
  };
  Stage& stored = s[sums];
  stored.compute_at(output, xo);
  tile(stored);
  Stage& sum = s[registers];
  sum.compute_at(output, xo);
  const auto [v, l] = tile(sum);
  std::vector<IterVar> inner = sum.compute().reduce_axes();
  const IterVar four = inner.back();
  inner.pop_back();
  if (k.step > 1) {
    const auto [so, si] = sum.split(inner.back(), k.step);
    sum.unroll(si);
    inner.back() = so;
    inner.push_back(si);
  }
  inner.insert(inner.end(), {sum.axis(rank - 2), sum.axis(rank - 1), v, l, four});
  sum.reorder(inner);
  const char* intrinsic = tensorize::kDot4;
  for (const Tensor& input : expr::inputs_of(sum.compute())) {
    if (!s.has_stage(input)) continue;
    if (shifts_when_read(input, out, k)) {
      s[input].compute_inline();
      intrinsic = tensorize::kDot4Shifted;
    } else {
      schedule_input(s[input], m, parallel);
    }
  }
  sum.tensorize(l, intrinsic, schedule::Reset::Before);
}

}  // namespace vdla::pipeline::cpu
