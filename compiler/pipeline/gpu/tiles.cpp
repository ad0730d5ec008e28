// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/gpu/tiles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "compiler/expr/affine.h"
#include "compiler/expr/simplify.h"
#include "compiler/expr/visit.h"
#include "compiler/pipeline/gpu/knob_names.h"
#include "compiler/pipeline/gpu/stages.h"
#include "support/ceil_div.h"

namespace vdla::pipeline::gpu {
namespace {

using expr::ForKind;
using expr::IterVar;
using expr::kSharedScope;
using expr::Tensor;
using schedule::Schedule;
using schedule::Stage;

constexpr std::int64_t kMostChannelThreads = 64, kMostColumnThreads = 64, kMostRowThreads = 16, kMostEach = 8,
                       kMostVirtuals = 2, kMostStep = 64, kBankBytes = 4;

/// A dimension of an operand, read at `index`.
TileOperand::Dimension dimension_of(const expr::ExprPtr& index, std::int64_t extent, const Stage& stage,
                                    const TileDims& dims) {
  TileOperand::Dimension result{extent};
  for (const expr::Affine::Term& t : expr::to_affine(expr::simplify(index, {})).terms) {
    const std::int64_t step = std::abs(t.coefficient);
    const auto is = [&](const IterVar& axis) {
      const auto* ref = t.atom->as<expr::VarRef>();
      return ref && ref->var == axis.var();
    };
    std::vector<IterVar> reduced = stage.compute().reduce_axes();
    if (is(stage.axis(dims.channel))) {
      result.channel = step;
    } else if (dims.row && is(stage.axis(*dims.row))) {
      result.row = step;
    } else if (dims.column && is(stage.axis(*dims.column))) {
      result.column = step;
    } else if (dims.terms && is(reduced[*dims.terms])) {
      result.terms = step;
    } else if (const auto tap = std::ranges::find_if(reduced, is); tap != reduced.end()) {
      result.rest += step * (tap->extent() - 1);
    } else {
      // What is the same in all of a tile, an image's number, goes nowhere.
      result.is_whole |= !t.atom->as<expr::VarRef>();
    }
  }
  return result;
}

TileOperand operand_of(const Tensor& tensor, const Stage& stage, const TileDims& dims) {
  TileOperand operand{{}, expr::bytes(tensor.dtype())};
  for (const expr::ExprPtr& body : stage.compute().bodies())
    expr::visit(body, [&](const expr::ExprPtr& e) {
      const auto* read = e->as<expr::Read>();
      if (!read || read->tensor != tensor.node() || !operand.dimensions.empty()) return;
      for (std::size_t d = 0; d < read->indices.size(); ++d)
        operand.dimensions.push_back(dimension_of(read->indices[d], tensor.shape()[d], stage, dims));
    });
  return operand;
}

/// Elements of a dimension that a tile reads.
std::int64_t span_of(const TileOperand::Dimension& d, const TileKnobs& k) {
  const std::int64_t span = 1 + d.channel * (k.channel.size() - 1) + d.row * (k.row.size() - 1) +
                            d.column * (k.column.size() - 1) + d.terms * (k.step - 1) + d.rest;
  return d.is_whole ? d.extent : std::min(d.extent, span);
}

bool fetches(Fetch fetch, std::size_t operand) {
  return fetch == Fetch::Both || fetch == (operand == 0 ? Fetch::Data : Fetch::Weights);
}

std::int64_t shared_bytes_of(const Tiles& layer, const TileKnobs& k) {
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < layer.operands.size(); ++i)
    if (fetches(k.fetch, i)) bytes += layer.operands[i].elements(k) * layer.operands[i].element_bytes;
  return bytes;
}

/// A tile that is not larger than what it tiles, but for what its last power of two adds.
bool is_in(const Tile& tile, std::int64_t extent) {
  return tile.size() < 2 * extent && tile.threads <= power_above(extent);
}

/// Whether padding would change something.
bool can_pad(const Tiles& layer, const TileKnobs& k) {
  for (std::size_t i = 0; i < layer.operands.size(); ++i)
    if (fetches(k.fetch, i) &&
        std::ranges::any_of(layer.operands[i].dimensions, [](const auto& d) { return d.free > 0; }))
      return true;
  return false;
}

bool fits(const Tiles& layer, const TileKnobs& k, const Machine& m) {
  if (k.threads() > m.most_threads || k.sums() > m.sums) return false;
  if (!is_in(k.channel, layer.channels) || !is_in(k.row, layer.rows) || !is_in(k.column, layer.columns))
    return false;
  if (k.step > layer.terms || (k.fetch == Fetch::Neither && k.step != 1)) return false;
  if (layer.operands.size() < 2 && k.fetch == Fetch::Weights) return false;
  if (k.pad && !can_pad(layer, k)) return false;
  return shared_bytes_of(layer, k) <= m.shared_bytes;
}

/// One dimension of the output, cut.
struct Cut {
  IterVar block, virtuals, thread, each;
};
Cut cut(Stage& stage, const IterVar& axis, const Tile& tile) {
  Cut result;
  IterVar rest;
  std::tie(result.block, rest) = stage.split(axis, tile.size());
  if (tile.virtuals > 1) {
    std::tie(result.virtuals, rest) = stage.split(rest, tile.threads * tile.each);
    stage.bind(result.virtuals, ForKind::VThread);
  }
  std::tie(result.thread, result.each) = stage.split(rest, tile.each);
  stage.unroll(result.each);
  return result;
}

/// A stage whose region all threads of a block fill together, neighbours by neighbours. Dimensions of which a
/// tile has one index stay out of the loop over all elements, whose parts are then easier to tell apart.
void fill_together(Stage& stage, const TileOperand& operand, const TileKnobs& k,
                   const std::array<std::int64_t, 3>& threads) {
  std::vector<IterVar> apart, together;
  for (std::size_t d = 0; d < operand.dimensions.size(); ++d)
    (span_of(operand.dimensions[d], k) == 1 ? apart : together).push_back(stage.axis(d));
  if (together.empty()) std::swap(apart, together);
  std::vector<IterVar> order = apart;
  order.insert(order.end(), together.begin(), together.end());
  stage.reorder(order);
  IterVar rest = fuse_all(stage, together), own;
  for (std::size_t kind = 0; kind < threads.size(); ++kind) {
    if (threads[kind] == 1) continue;
    std::tie(rest, own) = stage.split(rest, threads[kind]);
    stage.bind(own, static_cast<ForKind>(static_cast<std::size_t>(ForKind::ThreadX) + kind));
  }
}

}  // namespace

std::int64_t TileOperand::elements(const TileKnobs& k) const {
  std::int64_t count = 1;
  for (auto d = dimensions.rbegin(); d != dimensions.rend(); ++d)
    count = (count + (k.pad ? d->free : 0)) * span_of(*d, k);
  return count;
}

Tiles tiles_of(const Tensor& sum, const Stage& stage, const TileDims& dims) {
  const std::vector<std::int64_t>& shape = sum.shape();
  Tiles layer;
  layer.channels = shape[dims.channel];
  if (dims.row) layer.rows = shape[*dims.row];
  if (dims.column) layer.columns = shape[*dims.column];
  layer.outer = elements_of(sum) / layer.channels / layer.rows / layer.columns;
  if (dims.terms) layer.terms = stage.reduce_axis(*dims.terms).extent();
  layer.taps = terms_of(stage) / layer.terms;
  layer.channels_last = dims.channel + 1 == shape.size();
  for (const Tensor& input : expr::inputs_of(stage.compute()))
    if (layer.operands.size() < 2) layer.operands.push_back(operand_of(input, stage, dims));
  for (TileOperand& operand : layer.operands)
    for (std::size_t d = 0; d + 1 < operand.dimensions.size(); ++d) {
      TileOperand::Dimension& dimension = operand.dimensions[d];
      const std::int64_t step = layer.channels_last ? dimension.channel : dimension.column;
      if (step > 0) dimension.free = std::max<std::int64_t>(1, kBankBytes / operand.element_bytes);
    }
  return layer;
}

double tiles_cost(const Tiles& layer, const TileKnobs& k, const Machine& m) {
  const auto real = [](std::int64_t v) { return static_cast<double>(v); };
  const std::int64_t tiles = layer.outer * ceil_div(layer.channels, k.channel.size()) *
                             ceil_div(layer.rows, k.row.size()) * ceil_div(layer.columns, k.column.size());
  const double terms = real(layer.terms * layer.taps);
  // Of a step of a thread: its sums, a number of each operand for a row or a column of them, the loop.
  const std::int64_t channels = k.channel.each * k.channel.virtuals;
  const double loads = real(channels + k.sums() / channels);
  const auto load_cost = [&](std::size_t operand) { return fetches(k.fetch, operand) ? 0.5 : 2.0; };
  const double read = loads / 2 * (load_cost(0) + load_cost(1));
  const double thread = terms * (real(k.sums()) + read + 1);
  // Threads that fill no group of lanes wait with it.
  const double threads = real(ceil_div(k.threads(), m.lanes / 4) * (m.lanes / 4));
  const double blocks_at_once = std::max(1.0, std::floor(4 * real(m.lanes) / threads));
  const double rounds = std::ceil(real(tiles) / (real(m.processors) * blocks_at_once));
  const double steps = real(ceil_div(layer.terms, k.step));
  const double barriers = k.fetch == Fetch::Neither ? 0 : steps * 40;
  const double compute = rounds * (thread * threads * blocks_at_once / real(m.lanes) + barriers);
  double bytes = 0;
  for (std::size_t i = 0; i < layer.operands.size(); ++i) {
    // What is not fetched together is read by each thread, as a rule from a cache.
    const double all =
        fetches(k.fetch, i) ? real(layer.operands[i].elements(k)) : real(layer.operands[i].elements(k)) * 2;
    bytes += all * real(layer.operands[i].element_bytes) * steps * real(tiles);
  }
  // Threads whose reads meet in one bank wait for each other.
  const double conflicts = can_pad(layer, k) && !k.pad ? 1.2 : 1.0;
  // Neighbours in memory are read and written at once by neighbouring threads.
  const Tile& inner = layer.channels_last ? k.channel : k.column;
  const double scattered = 1 + 8.0 / real(std::min<std::int64_t>(inner.threads, 32) * 4);
  return compute * conflicts + bytes / real(m.memory_bytes) * scattered;
}

TileKnobs tiles_default(const Tiles& layer, const Machine& m) {
  TileKnobs best;
  best.channel.threads = std::min(kMostChannelThreads, std::min(m.most_threads, power_above(layer.channels)));
  double best_cost = tiles_cost(layer, best, m);
  const auto powers = [](std::int64_t extent, std::int64_t most) {
    std::vector<std::int64_t> result;
    for (std::int64_t p = 1; p <= most && p < 2 * extent; p *= 2) result.push_back(p);
    return result;
  };
  const std::vector<Fetch> ways = m.shared_bytes == 0 ? std::vector{Fetch::Neither}
                                                      : std::vector{Fetch::Both, Fetch::Data, Fetch::Neither};
  for (const std::int64_t tc : powers(layer.channels, kMostChannelThreads))
    for (const std::int64_t ec : powers(ceil_div(layer.channels, tc), kMostEach))
      for (const std::int64_t tx : powers(layer.columns, kMostColumnThreads))
        for (const std::int64_t ex : powers(ceil_div(layer.columns, tx), kMostEach))
          for (const std::int64_t ty : powers(layer.rows, kMostRowThreads))
            for (const std::int64_t step : {1, 4, 8, 16, 32})
              for (const Fetch fetch : ways) {
                const TileKnobs k{{tc, ec, 1}, {ty, 1, 1}, {tx, ex, 1}, step, fetch};
                if (k.threads() < 32 && k.threads() * 2 <= m.most_threads && tc * tx * ty > 1 &&
                    layer.channels * layer.columns * layer.rows >= 64)
                  continue;
                if (!fits(layer, k, m)) continue;
                if (const double cost = tiles_cost(layer, k, m); cost < best_cost) {
                  best = k;
                  best_cost = cost;
                }
              }
  // Two parts of a tile apart from each other: their reads of shared memory do not meet in one bank.
  if (best.fetch == Fetch::Both && best.channel.each == kMostEach)
    best.channel = {best.channel.threads, 4, 2};
  if (best.fetch == Fetch::Both && best.column.each == kMostEach) best.column = {best.column.threads, 4, 2};
  TileKnobs padded = best;
  padded.pad = true;
  return fits(layer, padded, m) ? padded : best;
}

Point point_of(const TileKnobs& k) {
  return {power_index(k.channel.threads),
          power_index(k.channel.each),
          power_index(k.channel.virtuals),
          power_index(k.row.threads),
          power_index(k.row.each),
          power_index(k.column.threads),
          power_index(k.column.each),
          power_index(k.column.virtuals),
          k.step,
          static_cast<std::int64_t>(k.fetch) + 1,
          k.pad ? 2 : 1};
}

TileKnobs tiles_at(const Point& p) {
  return {{power_at(p.at(0)), power_at(p.at(1)), power_at(p.at(2))},
          {power_at(p.at(3)), power_at(p.at(4)), 1},
          {power_at(p.at(5)), power_at(p.at(6)), power_at(p.at(7))},
          p.at(8),
          static_cast<Fetch>(p.at(9) - 1),
          p.at(10) == 2};
}

KnobSpace tile_knobs(const Tiles& layer, const Machine& m) {
  const auto threads = [](std::int64_t extent, std::int64_t most) {
    return std::min(most, power_above(extent));
  };
  const auto each = [](std::int64_t extent) { return std::min(kMostEach, power_above(extent)); };
  const auto virtuals = [](std::int64_t extent) { return extent > 1 ? kMostVirtuals : 1; };
  return {{power_knob("channel_threads", 1, threads(layer.channels, kMostChannelThreads)),
           power_knob("channel_each", 1, each(layer.channels)),
           power_knob("channel_virtuals", 1, virtuals(layer.channels)),
           power_knob("row_threads", 1, threads(layer.rows, kMostRowThreads)),
           power_knob("row_each", 1, each(layer.rows)),
           power_knob("column_threads", 1, threads(layer.columns, kMostColumnThreads)),
           power_knob("column_each", 1, each(layer.columns)),
           power_knob("column_virtuals", 1, virtuals(layer.columns)),
           {"step", std::min(kMostStep, layer.terms), {}},
           {"fetch", 4, {"both", "data", "weights", "neither"}},
           {"pad", 2, {"no", "yes"}}},
          {.fits = [=](const Point& p) { return fits(layer, tiles_at(p), m); },
           .estimate = [=](const Point& p) { return tiles_cost(layer, tiles_at(p), m); },
           .normal = [](const Point& p) { return p; }}};
}

void schedule_tiles(Schedule& s, const Tensor& output, const Tensor& sum, const TileDims& dims,
                    const TileKnobs& k) {
  // Data and weights in shared memory.
  const Tiles layer = tiles_of(sum, s[sum], dims);
  std::vector<std::pair<Tensor, const TileOperand*>> fetched;
  const std::vector<Tensor> inputs = expr::inputs_of(s[sum].compute());
  for (std::size_t i = 0; i < layer.operands.size(); ++i)
    if (fetches(k.fetch, i))
      fetched.emplace_back(s.cache_read(inputs[i], kSharedScope, {sum}), &layer.operands[i]);
  Stage& out = s[output];
  std::vector<IterVar> others;
  for (std::size_t d = 0; d < output.rank(); ++d)
    if (d != dims.channel && dims.row != d && dims.column != d) others.push_back(out.axis(d));
  const Cut channel = cut(out, out.axis(dims.channel), k.channel);
  std::optional<Cut> row, column;
  if (dims.row) row = cut(out, out.axis(*dims.row), k.row);
  if (dims.column) column = cut(out, out.axis(*dims.column), k.column);
  std::vector<IterVar> order = others;
  const auto add = [&](IterVar Cut::*part) {
    for (const std::optional<Cut>& c : {row, column, std::optional(channel)})
      if (c && ((*c).*part).defined()) order.push_back((*c).*part);
  };
  add(&Cut::block);
  add(&Cut::virtuals);
  add(&Cut::thread);
  add(&Cut::each);
  out.reorder(order);
  if (row) others.push_back(row->block);
  if (!others.empty()) out.bind(fuse_all(out, others), ForKind::BlockZ);
  if (column) out.bind(column->block, ForKind::BlockY);
  out.bind(channel.block, ForKind::BlockX);
  // thread.x are neighbours in memory.
  const bool channels_last = dims.channel + 1 == output.rank();
  // A tile beyond the end of a short dimension has fewer threads than it could.
  std::array<std::int64_t, 3> threads{1, 1, row ? row->thread.extent() : 1};
  if (row) out.bind(row->thread, ForKind::ThreadZ);
  out.bind(channel.thread, channels_last ? ForKind::ThreadX : ForKind::ThreadY);
  threads[channels_last ? 0 : 1] = channel.thread.extent();
  if (column) {
    out.bind(column->thread, channels_last ? ForKind::ThreadY : ForKind::ThreadX);
    threads[channels_last ? 1 : 0] = column->thread.extent();
  }

  Stage& sums = s[sum];
  sums.set_scope(kPrivateScope).compute_at(out, channel.thread);
  std::vector<IterVar> reduction = sums.compute().reduce_axes();
  std::optional<IterVar> steps;
  if (dims.terms && k.fetch != Fetch::Neither && k.step < reduction[*dims.terms].extent()) {
    const auto [outer, inner] = sums.split(reduction[*dims.terms], k.step);
    steps = outer;
    reduction[*dims.terms] = inner;
  }
  std::vector<IterVar> loops;
  if (steps) loops.push_back(*steps);
  loops.insert(loops.end(), reduction.begin(), reduction.end());
  for (const auto& d : {dims.row, dims.column, std::optional(dims.channel)}) {
    if (!d) continue;
    loops.push_back(sums.axis(*d));
    sums.unroll(sums.axis(*d));
  }
  sums.reorder(loops);
  for (const auto& [tensor, operand] : fetched) {
    Stage& fetch = s[tensor];
    if (steps)
      fetch.compute_at(sums, *steps);
    else
      fetch.compute_at(out, channel.block);
    for (std::size_t d = 0; k.pad && d < operand->dimensions.size(); ++d)
      if (operand->dimensions[d].free > 0) fetch.pad_stride(fetch.axis(d), operand->dimensions[d].free);
    fill_together(fetch, *operand, k, threads);
  }
}

}  // namespace vdla::pipeline::gpu
