// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/gpu/templates/mma.h"

#include <algorithm>
#include <vector>

#include "compiler/expr/visit.h"
#include "compiler/grid/warp.h"
#include "compiler/intrinsics/warp.h"
#include "compiler/targets/gpu/templates/knob_names.h"
#include "compiler/targets/gpu/templates/stages.h"
#include "compiler/targets/gpu/templates/waves.h"
#include "support/ceil_div.h"

namespace vdla::pipeline::gpu {
namespace {

using expr::ForKind;
using expr::IterVar;
using expr::Tensor;
using grid::kFragmentBytes;
using grid::kFragmentColumns;
using grid::kFragmentRows;
using grid::kWarpLanes;
using schedule::Reset;
using schedule::Schedule;
using schedule::Stage;

constexpr std::int64_t kMostRows = 128, kMostWarps = 8, kMostSteps = 8, kMostMmaStages = 4;
/// Bytes that a thread fetches at once, and number of these that are written out.
constexpr std::int64_t kFetchBytes = 16, kMostMmaPieces = 16;
/// Registers of a thread: all that there are, and those for addresses.
constexpr std::int64_t kMostRegisters = 255, kMmaOtherRegisters = 40;

/// Whether the last index is the term, the one before `row`, and others are of whole matrices.
bool is_matrix(const expr::Read& read, const IterVar& row, const IterVar& other, const IterVar& term) {
  const auto is = [](const expr::ExprPtr& index, const IterVar& axis) {
    const auto* ref = index->as<expr::VarRef>();
    return ref && ref->var == axis.var();
  };
  const std::size_t rank = read.indices.size();
  if (rank < 2 || !is(read.indices[rank - 1], term) || !is(read.indices[rank - 2], row)) return false;
  return std::ranges::all_of(read.indices.begin(), read.indices.end() - 2, [&](const expr::ExprPtr& index) {
    return expr::as_constant(index) ||
           (index->as<expr::VarRef>() && !is(index, row) && !is(index, other) && !is(index, term));
  });
}

/// The operands of a product, left and right.
std::optional<std::pair<const expr::Read*, const expr::Read*>> operands_of(const Stage& stage,
                                                                           const TileDims& dims) {
  if (stage.compute().reduce_axes().size() != 1 || !dims.column) return std::nullopt;
  const auto factors = factors_of(stage);
  if (!factors) return std::nullopt;
  auto [a, b] = *factors;
  if (!expr::tensor_of(*a).is_placeholder() || !expr::tensor_of(*b).is_placeholder()) return std::nullopt;
  const IterVar &row = stage.axis(*dims.column), &column = stage.axis(dims.channel),
                &term = stage.reduce_axis(0);
  if (!is_matrix(*a, row, column, term)) std::swap(a, b);
  if (!is_matrix(*a, row, column, term) || !is_matrix(*b, column, row, term)) return std::nullopt;
  return std::pair(a, b);
}

std::int64_t terms_of_operation(const Mma& layer) { return kFragmentBytes / layer.bytes(); }

std::int64_t shared_bytes_of(const MmaKnobs& k) {
  const std::int64_t rows = k.rows * k.warps_down + k.columns * k.warps_across;
  return rows * (k.steps * kFragmentBytes + (k.pad ? kFetchBytes : 0)) * k.stages;
}

/// Registers of a thread: sums, and fragments of two operations along the terms.
std::int64_t registers_of(const MmaKnobs& k) {
  return k.rows * k.columns / kWarpLanes + (k.rows + k.columns) / 4 + kMmaOtherRegisters;
}

MmaKnobs normal(const Mma& layer, MmaKnobs k) {
  const std::int64_t fetches = ceil_div(layer.terms, terms_of_operation(layer) * k.steps);
  k.stages = std::clamp<std::int64_t>(fetches - 1, 1, k.stages);
  return k;
}

bool fits(const Mma& layer, const MmaKnobs& k, const GpuProfile& m) {
  if (!m.has_tensor_cores || k.warps() * kWarpLanes > m.most_threads || normal(layer, k) != k) return false;
  if (layer.rows % (k.rows * k.warps_down) != 0 || layer.columns % (k.columns * k.warps_across) != 0 ||
      layer.terms % (terms_of_operation(layer) * k.steps) != 0)
    return false;
  if (shared_bytes_of(k) > m.most_shared_bytes || registers_of(k) > kMostRegisters) return false;
  return k.warps() * kWarpLanes * registers_of(k) <= m.registers;
}

/// Cycles, roughly.
double mma_cost(const Mma& layer, const MmaKnobs& k, const GpuProfile& m) {
  const auto real = [](std::int64_t v) { return static_cast<double>(v); };
  const std::int64_t tile_rows = k.rows * k.warps_down, tile_columns = k.columns * k.warps_across;
  const std::int64_t tiles = layer.outer * (layer.rows / tile_rows) * (layer.columns / tile_columns);
  const std::int64_t steps = layer.terms / terms_of_operation(layer);  // operations along the terms
  const std::int64_t operations = (k.rows / kFragmentRows) * (k.columns / kFragmentColumns);
  const std::int64_t loads = (k.rows + k.columns) / kFragmentRows;
  const std::int64_t pieces = (tile_rows + tile_columns) * kFragmentBytes / kFetchBytes;
  // Cycles of a warp for one operation along the terms. A processor multiplies for four warps at once, and
  // loads for one.
  const double multiply = real(operations) * 6.5;
  const double load = real(loads) * (k.pad ? 4 : 16);
  const double fetch = real(ceil_div(pieces, k.warps() * kWarpLanes)) * 12;
  const double at_once = blocks_at_once(m, {k.warps() * kWarpLanes, registers_of(k), shared_bytes_of(k)});
  const auto time = [&](double blocks) {
    const double warps = blocks * real(k.warps());
    const double more = std::max(warps * multiply / 4, warps * load),
                 less = std::min(warps * multiply / 4, warps * load);
    const double busy = (more + less / 4 + fetch * warps / 4) * real(k.steps);
    // Few warps wait for what each has begun.
    const double own = (multiply + load + 30) * real(k.steps);
    constexpr double kLatency = 700;
    const double compute = std::max(busy, own);
    return k.stages > 1 ? std::max(compute, kLatency / real(k.stages - 1)) + 60 / blocks
                        : compute + kLatency / blocks + 60;
  };
  const double compute = real(ceil_div(steps, k.steps)) * time_of_blocks(m, tiles, at_once, time);
  const double bytes = real(tiles) * real(tile_rows + tile_columns) * real(layer.terms * layer.bytes()) +
                       4 * real(layer.outer * layer.rows * layer.columns);
  return std::max(compute, bytes / real(m.memory_bytes) / 2);
}

/// A stage of two dimensions, and others of which it has one index: rows and terms.
struct Matrix {
  IterVar rows, terms;
  std::vector<IterVar> others;
};
Matrix matrix_of(const Stage& stage) {
  const std::size_t rank = stage.tensor().rank();
  Matrix result{stage.axis(rank - 2), stage.axis(rank - 1), {}};
  for (std::size_t d = 0; d + 2 < rank; ++d) result.others.push_back(stage.axis(d));
  return result;
}

/// Fragments of 16 rows, which the lanes of a warp load together.
void load_fragments(Stage& stage, const char* by) {
  const auto [fragment, row] = stage.split(matrix_of(stage).rows, kFragmentRows);
  stage.unroll(fragment);
  stage.tensorize(row, by);
}

/// All threads of a block fetch a part of an operand.
void fetch_together(Stage& stage, const Mma& layer, const MmaKnobs& k, std::int64_t rows) {
  const std::int64_t vector = kFetchBytes / layer.bytes();
  const Matrix matrix = matrix_of(stage);
  if (k.pad) stage.pad_stride(matrix.rows, vector);
  if (k.stages > 1) stage.double_buffer(k.stages);
  IterVar rest = stage.fuse(matrix.rows, matrix.terms), own;
  std::tie(rest, own) = stage.split(rest, vector);
  stage.vectorize(own);
  share_among_threads(stage, rest, rows * k.steps * kFragmentBytes / kFetchBytes,
                      {kWarpLanes, k.warps_across, k.warps_down}, kMostMmaPieces);
}

}  // namespace

std::optional<Mma> mma_of(const Tensor& sum, const Stage& stage, const TileDims& dims, const GpuProfile& m) {
  if (!m.has_tensor_cores) return std::nullopt;
  const auto operands = operands_of(stage, dims);
  if (!operands) return std::nullopt;
  const expr::DType type = expr::tensor_of(*operands->first).dtype();
  if (expr::tensor_of(*operands->second).dtype() != type || intrinsics::warp_terms(type) == 0 ||
      intrinsics::warp_sums(type) != sum.dtype())
    return std::nullopt;
  const auto& shape = sum.shape();
  Mma layer{shape[*dims.column], shape[dims.channel], terms_of(stage), 1, type};
  layer.outer = elements_of(sum) / layer.rows / layer.columns;
  return fits(layer, {}, m) ? std::optional(layer) : std::nullopt;
}

MmaKnobs mma_default(const Mma& layer, const GpuProfile& m) {
  MmaKnobs best;
  double best_cost = mma_cost(layer, best, m);
  for (std::int64_t rows = kFragmentRows; rows <= kMostRows; rows *= 2)
    for (std::int64_t columns = kFragmentRows; columns <= kMostRows; columns *= 2)
      for (std::int64_t down = 1; down <= kMostWarps; down *= 2)
        for (std::int64_t across = 1; across <= kMostWarps; across *= 2)
          for (std::int64_t steps = 1; steps <= kMostSteps; steps *= 2)
            for (std::int64_t stages = 1; stages <= kMostMmaStages; ++stages) {
              const MmaKnobs k = normal(layer, {rows, columns, down, across, steps, stages, true});
              if (!fits(layer, k, m)) continue;
              if (const double cost = mma_cost(layer, k, m); cost < best_cost) {
                best = k;
                best_cost = cost;
              }
            }
  return best;
}

Point point_of(const MmaKnobs& k) {
  return {power_index(k.rows, kFragmentRows),
          power_index(k.columns, kFragmentRows),
          power_index(k.warps_down),
          power_index(k.warps_across),
          power_index(k.steps),
          k.stages,
          k.pad ? 2 : 1};
}

MmaKnobs mma_at(const Point& p) {
  return {power_at(p.at(0), kFragmentRows),
          power_at(p.at(1), kFragmentRows),
          power_at(p.at(2)),
          power_at(p.at(3)),
          power_at(p.at(4)),
          p.at(5),
          p.at(6) == 2};
}

KnobSpace mma_knobs(const Mma& layer, const GpuProfile& m) {
  return {{power_knob("warp_rows", kFragmentRows, kMostRows),
           power_knob("warp_columns", kFragmentRows, kMostRows),
           power_knob("warps_down", 1, kMostWarps),
           power_knob("warps_across", 1, kMostWarps),
           power_knob("steps", 1, kMostSteps),
           {"stages", kMostMmaStages, {}},
           {"pad", 2, {"no", "yes"}}},
          {.fits = [=](const Point& p) { return fits(layer, mma_at(p), m); },
           .estimate = [=](const Point& p) { return mma_cost(layer, mma_at(p), m); },
           .normal = [=](const Point& p) { return point_of(normal(layer, mma_at(p))); }}};
}

void schedule_mma(Schedule& s, const Tensor& output, const Tensor& sum, const TileDims& dims,
                  const Mma& layer, const MmaKnobs& k) {
  const auto operands = *operands_of(s[sum], dims);
  const auto fetched = [&](const expr::Read* read) {
    return s.cache_read(expr::tensor_of(*read), expr::kSharedScope, {sum});
  };
  const Tensor left = fetched(operands.first), right = fetched(operands.second);
  const Tensor left_fragments = s.cache_read(left, grid::kLeftScope, {sum}),
               right_fragments = s.cache_read(right, grid::kRightScope, {sum});

  // Each lane has two neighbours of each row and each 8 columns, in rows 8 apart (grid::owner_of_sum).
  Stage& out = s[output];
  std::vector<IterVar> order;
  for (std::size_t d = 0; d < output.rank(); ++d)
    if (d != dims.channel && dims.column != d) order.push_back(out.axis(d));
  const std::size_t others = order.size();
  auto [row_block, row] = out.split(out.axis(*dims.column), k.rows * k.warps_down);
  auto [column_block, column] = out.split(out.axis(dims.channel), k.columns * k.warps_across);
  IterVar row_warp, column_warp, row_tile, column_tile, row_half, column_lane;
  std::tie(row_warp, row) = out.split(row, k.rows);
  std::tie(column_warp, column) = out.split(column, k.columns);
  std::tie(row_tile, row) = out.split(row, kFragmentRows);
  std::tie(row_half, row) = out.split(row, 8);
  std::tie(column_tile, column) = out.split(column, kFragmentColumns);
  std::tie(column_lane, column) = out.split(column, 2);
  const std::vector<IterVar> inside{row_block,   column_block, row_warp, column_warp, row,
                                    column_lane, row_tile,     row_half, column_tile, column};
  order.insert(order.end(), inside.begin(), inside.end());
  out.reorder(order);
  const IterVar lane = out.fuse(row, column_lane);
  order.resize(others);
  if (!order.empty()) out.bind(fuse_all(out, order), ForKind::BlockZ);
  out.bind(row_block, ForKind::BlockY).bind(column_block, ForKind::BlockX);
  out.bind(row_warp, ForKind::ThreadZ).bind(column_warp, ForKind::ThreadY).bind(lane, ForKind::ThreadX);
  out.unroll(row_tile).unroll(row_half).unroll(column_tile).vectorize(column);

  Stage& sums = s[sum];
  sums.set_scope(grid::kSumScope).compute_at(out, column_warp);
  const auto [fetch, part] = sums.split(sums.reduce_axis(0), k.steps * terms_of_operation(layer));
  const auto [step, term] = sums.split(part, terms_of_operation(layer));
  const auto [sum_row, own_row] = sums.split(sums.axis(*dims.column), kFragmentRows);
  const auto [sum_column, own_column] = sums.split(sums.axis(dims.channel), kFragmentColumns);
  std::vector<IterVar> loops{fetch, step, sum_row, sum_column, own_row, own_column, term};
  sums.reorder(loops);
  sums.unroll(step).unroll(sum_row).unroll(sum_column);
  sums.tensorize(own_row, grid::kMultiply, Reset::Before);

  s[left_fragments].compute_at(sums, step);
  s[right_fragments].compute_at(sums, step);
  load_fragments(s[left_fragments], grid::kLoadLeft);
  load_fragments(s[right_fragments], grid::kLoadRight);
  s[left].compute_at(sums, fetch);
  s[right].compute_at(sums, fetch);
  fetch_together(s[left], layer, k, k.rows * k.warps_down);
  fetch_together(s[right], layer, k, k.columns * k.warps_across);
}

}  // namespace vdla::pipeline::gpu
