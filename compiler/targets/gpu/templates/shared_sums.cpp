// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/gpu/templates/shared_sums.h"

#include <algorithm>

#include "compiler/grid/thread.h"
#include "compiler/intrinsics/thread.h"
#include "compiler/targets/gpu/templates/knob_names.h"
#include "compiler/targets/gpu/templates/stages.h"
#include "support/ceil_div.h"

namespace vdla::pipeline::gpu {
namespace {

using expr::ForKind;
using expr::IterVar;
using expr::kSharedScope;
using expr::Tensor;
using intrinsics::kDp4aTerms;
using schedule::Schedule;
using schedule::Stage;

constexpr std::int64_t kFewestLanes = 2, kMostOutputs = 16;
/// Threads of a sum by default, and those of which fewer are not taken for the sake of whole words.
constexpr std::int64_t kManyLanes = 32, kFewLanes = 8;

/// Terms that a thread takes at a time.
enum class Take : std::uint8_t { Terms, Words };

/// Words, where all threads have as many.
Take take_of(const SharedSums& layer, std::int64_t lanes) {
  return layer.has_dots && layer.terms % (kDp4aTerms * lanes) == 0 ? Take::Words : Take::Terms;
}

/// Parts of the sums of `sum` that each of `lanes` threads has: [lane, dimensions of the sum], in shared
/// memory, each summed up in a register. `sum` adds these up.
Tensor parts_of(Schedule& s, const Tensor& sum, std::int64_t lanes, Take take = Take::Terms) {
  Stage& stage = s[sum];
  IterVar terms = fuse_all(stage, stage.compute().reduce_axes());
  if (take == Take::Words) terms = stage.split(terms, kDp4aTerms).first;
  const Tensor parts = s.rfactor(sum, stage.split(terms, lanes).second);
  s[parts].set_scope(kSharedScope);
  return parts;
}

/// Computes them at `at`: lanes are thread.x, dimension `row` of the sums (where it is one) thread.y.
void place_parts(Schedule& s, const Tensor& parts, Stage& consumer, const IterVar& at,
                 const std::vector<std::size_t>& row, Take take = Take::Terms) {
  const bool adds = s[parts].has_reduction();
  const Tensor kept = adds ? s.cache_write(parts, grid::kThreadScope) : Tensor();
  Stage& stage = s[parts];
  stage.compute_at(consumer, at);
  const IterVar lane = stage.axis(0);
  std::vector<IterVar> order;
  for (std::size_t d = 1; d < parts.rank(); ++d) order.push_back(stage.axis(d));
  order.push_back(lane);
  stage.reorder(order).bind(lane, ForKind::ThreadX);
  for (const std::size_t d : row) stage.bind(stage.axis(d + 1), ForKind::ThreadY);
  if (!adds) return;
  Stage& own = s[kept];
  own.compute_at(stage, lane);
  if (take == Take::Words)
    own.tensorize(own.compute().reduce_axes().back(), grid::kDp4a, schedule::Reset::Before);
}

std::int64_t threads_for(std::int64_t terms, const GpuProfile& m) {
  return std::clamp<std::int64_t>(power_below(terms), kFewestLanes, m.most_threads);
}

/// The last dimension with several elements, or the last one.
std::size_t innermost_of(const Tensor& tensor) {
  std::size_t d = tensor.rank() - 1;
  while (d > 0 && tensor.shape()[d] == 1) --d;
  return tensor.shape()[d] == 1 ? tensor.rank() - 1 : d;
}

}  // namespace

SharedSumKnobs shared_sums_default(const SharedSums& layer, const GpuProfile& m) {
  SharedSumKnobs knobs{std::min(kManyLanes, threads_for(layer.terms, m)), 1};
  for (std::int64_t lanes = knobs.lanes; layer.has_dots && lanes >= kFewLanes; lanes /= 2)
    if (take_of(layer, lanes) == Take::Words) {
      knobs.lanes = lanes;
      break;
    }
  while (2 * knobs.outputs <= std::min<std::int64_t>(layer.innermost, 4) &&
         2 * knobs.outputs * knobs.lanes <= m.most_threads)
    knobs.outputs *= 2;
  return knobs;
}

Point point_of(const SharedSumKnobs& k) {
  return {power_index(k.lanes, kFewestLanes), power_index(k.outputs)};
}

SharedSumKnobs shared_sums_at(const Point& p) { return {power_at(p.at(0), kFewestLanes), power_at(p.at(1))}; }

KnobSpace shared_sum_knobs(const SharedSums& layer, const GpuProfile& m) {
  return {{power_knob("lanes", kFewestLanes, threads_for(layer.terms, m)),
           power_knob("outputs", 1, std::min(kMostOutputs, power_below(layer.innermost)))},
          {.fits =
               [=](const Point& p) {
                 const SharedSumKnobs k = shared_sums_at(p);
                 return k.lanes * k.outputs <= m.most_threads && k.lanes * k.outputs * 8 <= m.shared_bytes;
               },
           .estimate =
               [=](const Point& p) {
                 const SharedSumKnobs k = shared_sums_at(p);
                 const double blocks = static_cast<double>(ceil_div(layer.outputs, k.outputs));
                 const double rounds = std::max(1.0, blocks * static_cast<double>(k.lanes * k.outputs) /
                                                         static_cast<double>(m.processors * m.lanes));
                 const std::int64_t at_once = take_of(layer, k.lanes) == Take::Words ? kDp4aTerms : 1;
                 return rounds *
                        static_cast<double>(20 + 4 * ceil_div(layer.terms, k.lanes * at_once) + 2 * k.lanes);
               },
           .normal = [](const Point& p) { return p; }}};
}

void schedule_shared_sums(Schedule& s, const Tensor& output, const Tensor& sum, const SharedSums& layer,
                          const SharedSumKnobs& k) {
  const Take take = take_of(layer, k.lanes);
  const Tensor parts = parts_of(s, sum, k.lanes, take);
  const std::size_t row = innermost_of(output);
  Stage& out = s[output];
  std::vector<IterVar> blocks;
  for (std::size_t d = 0; d < output.rank(); ++d)
    if (d != row) blocks.push_back(out.axis(d));
  const auto [outer, own] = out.split(out.axis(row), k.outputs);
  blocks.push_back(outer);
  std::vector<IterVar> order = blocks;
  order.push_back(own);
  out.reorder(order);
  const IterVar block = fuse_all(out, blocks);
  out.bind(block, ForKind::BlockX).bind(own, ForKind::ThreadY);
  s[sum].set_scope(grid::kThreadScope).compute_at(out, own);
  place_parts(s, parts, out, block, {row}, take);
}

RowKnobs rows_default(const Rows& layer, const GpuProfile& m) {
  return {std::min<std::int64_t>(64, threads_for(layer.columns, m))};
}

Point point_of(const RowKnobs& k) { return {power_index(k.lanes, kFewestLanes)}; }

RowKnobs rows_at(const Point& p) { return {power_at(p.at(0), kFewestLanes)}; }

KnobSpace row_knobs(const Rows& layer, const GpuProfile& m) {
  return {{power_knob("lanes", kFewestLanes, threads_for(layer.columns, m))},
          {.fits = [](const Point&) { return true; },
           .estimate =
               [=](const Point& p) {
                 const std::int64_t lanes = rows_at(p).lanes;
                 const double rounds = std::max(1.0, static_cast<double>(layer.rows * lanes) /
                                                         static_cast<double>(m.processors * m.lanes));
                 return rounds * static_cast<double>(20 + 8 * ceil_div(layer.columns, lanes) + 2 * lanes);
               },
           .normal = [](const Point& p) { return p; }}};
}

bool are_rows(const Tensor& output, const std::vector<Tensor>& stages) {
  if (output.rank() == 0) return false;
  std::vector<std::int64_t> rows(output.shape().begin(), output.shape().end() - 1);
  if (rows.empty()) rows = {1};
  return std::ranges::all_of(stages, [&](const Tensor& stage) { return stage.shape() == rows; });
}

void schedule_rows(Schedule& s, const Tensor& output, const std::vector<Tensor>& stages, const RowKnobs& k) {
  std::vector<Tensor> parts;
  for (const Tensor& stage : stages)
    parts.push_back(s[stage].has_reduction() ? parts_of(s, stage, k.lanes) : Tensor());
  Stage& out = s[output];
  std::vector<IterVar> blocks;
  for (std::size_t d = 0; d + 1 < output.rank(); ++d) blocks.push_back(out.axis(d));
  // A row alone has a loop of one iteration to compute its sums in.
  const auto [one, column] = out.split(out.axis(output.rank() - 1), output.shape().back());
  blocks.push_back(one);
  const IterVar block = fuse_all(out, blocks);
  const auto [turn, lane] = out.split(column, k.lanes);
  out.bind(block, ForKind::BlockX).bind(lane, ForKind::ThreadX);
  for (std::size_t i = 0; i < stages.size(); ++i) {
    s[stages[i]].set_scope(kSharedScope).compute_at(out, block);
    if (parts[i].defined()) place_parts(s, parts[i], out, block, {});
  }
}

}  // namespace vdla::pipeline::gpu
