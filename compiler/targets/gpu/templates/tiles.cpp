// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/gpu/templates/tiles.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>

#include "compiler/expr/affine.h"
#include "compiler/expr/simplify.h"
#include "compiler/expr/visit.h"
#include "compiler/grid/thread.h"
#include "compiler/intrinsics/thread.h"
#include "compiler/targets/gpu/templates/dots.h"
#include "compiler/targets/gpu/templates/flat.h"
#include "compiler/targets/gpu/templates/knob_names.h"
#include "compiler/targets/gpu/templates/stages.h"
#include "compiler/targets/gpu/templates/waves.h"
#include "support/ceil_div.h"

namespace vdla::pipeline::gpu {
namespace {

using expr::ForKind;
using expr::IterVar;
using expr::kSharedScope;
using expr::Tensor;
using From = TileOperand::From;
using intrinsics::kDp4aTerms;
using schedule::Schedule;
using schedule::Stage;

constexpr std::int64_t kMostChannelThreads = 64, kMostColumnThreads = 64, kMostRowThreads = 16, kMostEach = 8,
                       kMostVirtuals = 4, kMostStep = 64, kMostVector = 4, kMostStages = 4, kMostParts = 16,
                       kBankBytes = 4, kMostBytes = 16;
/// Products that a thread's loop over the terms of a step writes out, and pieces of a fetch.
constexpr std::int64_t kMostProducts = 1024, kMostPieces = 32;
/// Words that a thread holds in registers between fetch and store.
constexpr std::int64_t kMostHeldWords = 32;
/// Stages by default: more were not measured, and take the memory of blocks beside.
constexpr std::int64_t kUsualStages = 2;
/// Threads of a block that adds up parts.
constexpr std::int64_t kAddingThreads = 128;
/// Registers of a thread beside its sums: addresses and operands.
constexpr std::int64_t kOtherRegisters = 60;
/// Sums of a thread that are written by vectors: those lie in registers side by side, and with more of them
/// there are no such places left.
constexpr std::int64_t kMostVectorSums = 32;

/// A dimension of an operand, read at `index`.
TileOperand::Dimension dimension_of(const expr::ExprPtr& index, std::int64_t extent, const Stage& stage,
                                    const TileDims& dims) {
  TileOperand::Dimension result{extent};
  const expr::Affine sum = expr::to_affine(expr::simplify(index, {}));
  result.first = sum.constant;
  for (const expr::Affine::Term& t : sum.terms) {
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
      // An atom that is the same in all of a tile, an image's number, goes nowhere.
      result.is_whole |= !t.atom->as<expr::VarRef>();
    }
  }
  return result;
}

TileOperand operand_of(const Tensor& tensor, const Stage& stage, const TileDims& dims) {
  TileOperand operand{{}, expr::bytes(tensor.dtype())};
  operand.from = tensor.is_placeholder() ? From::Memory
                 : is_bordered(tensor)   ? From::Bordered
                                         : From::Computed;
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

/// How many indices tiles have of a dimension that they cut evenly, from 0 on, or have in full; else 0.
std::int64_t cut_of(const TileOperand::Dimension& d, const TileKnobs& k) {
  if (d.first != 0 || d.is_whole) return 0;
  const std::int64_t moves = d.channel + d.row + d.column + d.terms;
  if (moves == 0) return d.rest + 1 == d.extent ? d.extent : 0;
  if (moves != 1 || d.rest != 0) return 0;
  const std::int64_t size = d.channel == 1  ? k.channel.size()
                            : d.row == 1    ? k.row.size()
                            : d.column == 1 ? k.column.size()
                                            : k.step;
  return size >= d.extent ? d.extent : d.extent % size == 0 ? size : 0;
}

bool fetches(Fetch fetch, std::size_t operand) {
  return fetch == Fetch::Both || fetch == (operand == 0 ? Fetch::Data : Fetch::Weights);
}

/// Elements that a thread fetches at once.
std::int64_t most_vector(const Tiles& layer) { return layer.has_dots ? kMostBytes : kMostVector; }

std::int64_t shared_bytes_of(const Tiles& layer, const TileKnobs& k) {
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < layer.operands.size(); ++i)
    if (fetches(k.fetch, i)) bytes += layer.operands[i].elements(k) * layer.operands[i].element_bytes;
  return bytes * k.stages;
}

/// Powers of two, and what divides the extent.
std::vector<std::int64_t> sizes_of(std::int64_t extent, std::int64_t most) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t n = 1; n <= std::min(most, power_above(extent)); ++n)
    if (n == power_below(n) || extent % n == 0) sizes.push_back(n);
  return sizes;
}

/// How many threads, and how many neighbours of a thread, there can be.
struct Sizes {
  explicit Sizes(const Tiles& layer)
      : channel_threads(sizes_of(layer.channels, kMostChannelThreads)),
        channel_each(sizes_of(layer.channels, kMostEach)),
        row_threads(sizes_of(layer.rows, kMostRowThreads)),
        row_each(sizes_of(layer.rows, kMostEach)),
        column_threads(sizes_of(layer.columns, kMostColumnThreads)),
        column_each(sizes_of(layer.columns, kMostEach)) {}
  std::vector<std::int64_t> channel_threads, channel_each, row_threads, row_each, column_threads, column_each;
};

/// A tile that is not larger than what it tiles, but for what its last power of two adds.
bool is_in(const Tile& tile, std::int64_t extent) {
  return tile.size() < 2 * extent && tile.threads <= power_above(extent);
}

/// Whether no part of a tile is beyond the end.
bool is_even(const Tile& tile, std::int64_t extent) {
  return extent % tile.size() == 0 || (tile.size() > extent && tile.virtuals == 1 && extent % tile.each == 0);
}

/// Whether padding would change something.
bool can_pad(const Tiles& layer, const TileKnobs& k) {
  for (std::size_t i = 0; i < layer.operands.size(); ++i)
    if (fetches(k.fetch, i) &&
        std::ranges::any_of(layer.operands[i].dimensions, [](const auto& d) { return d.is_apart; }))
      return true;
  return false;
}

/// Smallest knobs that give the same loops: what no operand allows is not asked for.
TileKnobs normal(const Tiles& layer, TileKnobs k, const GpuProfile& m) {
  if (m.shared_bytes == 0) k.fetch = Fetch::Neither;
  if (k.fetch == Fetch::Neither) k.step = 1;
  if (k.fetch == Fetch::Neither || layer.terms < 2) k.parts = 1;
  const std::int64_t steps = k.fetch == Fetch::Neither ? 1 : ceil_div(layer.terms / k.parts, k.step);
  k.stages = std::clamp<std::int64_t>(steps - 1, 1, k.stages);
  k.held &= k.stages == 2;
  k.pad &= can_pad(layer, k);
  std::int64_t most = 1;
  for (std::size_t i = 0; i < layer.operands.size(); ++i)
    if (fetches(k.fetch, i)) most = std::max(most, layer.operands[i].vector(k));
  k.vector = most;
  return k;
}

/// Words that a thread has fetched and not yet stored; nothing where its pieces are too many to be written
/// out.
std::optional<std::int64_t> held_words(const Tiles& layer, const TileKnobs& k) {
  std::int64_t words = 0;
  for (std::size_t i = 0; k.held && i < layer.operands.size(); ++i) {
    if (!fetches(k.fetch, i)) continue;
    const TileOperand& operand = layer.operands[i];
    const std::int64_t pieces = ceil_div(operand.elements(k), operand.vector(k) * k.threads());
    if (pieces > kMostPieces) return std::nullopt;
    words += pieces * ceil_div(operand.vector(k) * operand.element_bytes, kBankBytes);
  }
  return words;
}

bool fits(const Tiles& layer, const TileKnobs& k, const GpuProfile& m) {
  if (k.threads() > m.most_threads || k.sums() > m.sums) return false;
  const auto held = held_words(layer, k);
  if (!held || *held > kMostHeldWords) return false;
  if (k.threads() * (k.sums() + *held + kOtherRegisters) > m.registers) return false;
  if (!is_in(k.channel, layer.channels) || !is_in(k.row, layer.rows) || !is_in(k.column, layer.columns))
    return false;
  if (k.step > layer.terms || (k.parts > 1 && layer.terms % (k.parts * k.step) != 0)) return false;
  if (layer.operands.size() < 2 && k.fetch == Fetch::Weights) return false;
  if (normal(layer, k, m) != k) return false;
  return shared_bytes_of(layer, k) <= m.shared_bytes;
}

/// One dimension of the output, cut.
struct Cut {
  IterVar block, virtuals, thread, each;
};
Cut cut(Stage& stage, const IterVar& axis, const Tile& tile, bool writes_vectors) {
  Cut result;
  IterVar rest;
  std::tie(result.block, rest) = stage.split(axis, tile.size());
  if (tile.virtuals > 1) {
    std::tie(result.virtuals, rest) = stage.split(rest, tile.threads * tile.each);
    stage.bind(result.virtuals, ForKind::VThread);
  }
  std::tie(result.thread, result.each) = stage.split(rest, tile.each);
  // Vectors are written where none of them needs a guard.
  if (writes_vectors && tile.each > 1 && axis.extent() % tile.size() == 0)
    stage.vectorize(result.each);
  else
    stage.unroll(result.each);
  return result;
}

/// A stage whose region all threads of a block fill together, neighbours by neighbours. Dimensions of which a
/// tile has one index stay out of the loop over all elements, whose parts are then easier to tell apart.
void fill_together(Stage& stage, const TileOperand& operand, const TileKnobs& k, const Threads& threads) {
  std::vector<IterVar> apart, together;
  for (std::size_t d = 0; d < operand.dimensions.size(); ++d)
    (span_of(operand.dimensions[d], k) == 1 ? apart : together).push_back(stage.axis(d));
  if (together.empty()) std::swap(apart, together);
  std::vector<IterVar> order = apart;
  order.insert(order.end(), together.begin(), together.end());
  stage.reorder(order);
  IterVar rest = fuse_all(stage, together), own;
  if (const std::int64_t vector = operand.vector(k); vector > 1) {
    std::tie(rest, own) = stage.split(rest, vector);
    stage.vectorize(own);
  }
  share_among_threads(stage, rest, ceil_div(operand.elements(k), operand.vector(k)), threads, kMostPieces);
}

}  // namespace

std::int64_t TileOperand::elements(const TileKnobs& k) const {
  std::int64_t count = 1;
  for (std::size_t d = dimensions.size(); d-- > 0;)
    count = (count + free_behind(d, k)) * span_of(dimensions[d], k);
  return count;
}

std::int64_t TileOperand::free_behind(std::size_t dimension, const TileKnobs& k) const {
  if (!k.pad || !dimensions[dimension].is_apart) return 0;
  return std::max(k.vector, ceil_div(kBankBytes, element_bytes));
}

std::int64_t TileOperand::vector(const TileKnobs& k) const {
  if (from == From::Computed) return 1;
  // Elements that lie together: the last dimensions, as far as a tile has them in full, and a part of the
  // next one.
  std::int64_t together = 1, apart = 1;
  for (std::size_t i = dimensions.size(); i-- > 0;) {
    const Dimension& d = dimensions[i];
    const std::int64_t cut = cut_of(d, k);
    if (cut > 0 && free_behind(i, k) == 0) together *= std::min(cut, d.extent);
    apart *= d.extent;
    if (cut < d.extent || free_behind(i, k) > 0 || from == From::Bordered) break;
  }
  std::int64_t vector = k.vector;
  while (together % vector != 0 || apart % vector != 0) vector /= 2;
  return vector;
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
  if (!layer.operands.empty() && dims.has_stored_data) layer.operands[0].from = From::Memory;
  layer.has_dots = dims.takes_dp4a && dims.terms && are_dots(stage, stage.reduce_axis(*dims.terms));
  for (TileOperand& operand : layer.operands)
    for (std::size_t d = 0; d + 1 < operand.dimensions.size(); ++d) {
      TileOperand::Dimension& dimension = operand.dimensions[d];
      dimension.is_apart = dimension.channel > 0 || dimension.column > 0;
    }
  return layer;
}

bool uses_dp4a(const Tiles& layer, const TileKnobs& k) {
  if (!layer.has_dots) return false;
  for (std::size_t i = 0; i < layer.operands.size(); ++i)
    if (!fetches(k.fetch, i) && layer.operands[i].from != From::Memory) return false;
  const std::int64_t terms = layer.terms / k.parts;
  const std::int64_t step = k.fetch == Fetch::Neither ? terms : std::min(terms, k.step);
  return step % kDp4aTerms == 0 && terms % step == 0;
}

namespace {

/// How often threads of neighbouring channels read one bank when they read words of their weights.
std::int64_t conflicts_of(const Tiles& layer, const TileKnobs& k) {
  const TileOperand& weights = layer.operands.back();
  std::int64_t row = 1;
  for (std::size_t d = weights.dimensions.size(); d-- > 0;) {
    row += weights.free_behind(d, k);
    if (weights.dimensions[d].channel > 0) break;
    row *= span_of(weights.dimensions[d], k);
  }
  constexpr std::int64_t kReads = 8;  // reads of 8 threads together, which no two banks have
  return std::gcd(k.channel.each * std::max<std::int64_t>(row / kMostBytes, 1), kReads);
}

/// Reads of an operand for one term of each sum of a thread. Neighbours come at once, and what several taps
/// read stays in registers.
double reads_of(const TileOperand& operand, const TileKnobs& k) {
  const auto real = [](std::int64_t v) { return static_cast<double>(v); };
  const auto moves = [&](auto step) {
    return std::ranges::any_of(operand.dimensions, [&](const auto& d) { return d.*step > 0; });
  };
  using D = TileOperand::Dimension;
  double reads = 1;
  if (moves(&D::channel)) reads *= real(k.channel.each * k.channel.virtuals);
  if (moves(&D::row)) reads *= real(k.row.each);
  if (moves(&D::column)) reads *= real(k.column.each * k.column.virtuals);
  if (operand.dimensions.empty()) return reads;
  const D& last = operand.dimensions.back();
  const std::int64_t each = last.channel == 1 ? k.channel.each : last.column == 1 ? k.column.each : 0;
  if (each == 0) return reads * 0.3;
  return last.rest > 0 ? reads * real(each + last.rest) / real(each * (last.rest + 1))
                       : reads / real(std::min<std::int64_t>(each, 4));
}

}  // namespace

double tiles_cost(const Tiles& layer, const TileKnobs& k, const GpuProfile& m) {
  const auto real = [](std::int64_t v) { return static_cast<double>(v); };
  const std::int64_t tiles = layer.outer * k.parts * ceil_div(layer.channels, k.channel.size()) *
                             ceil_div(layer.rows, k.row.size()) * ceil_div(layer.columns, k.column.size());
  const std::int64_t terms = layer.terms / k.parts;
  const std::int64_t steps = k.fetch == Fetch::Neither ? 1 : ceil_div(terms, k.step);
  const bool has_dots = uses_dp4a(layer, k);
  const double products_in_step =
      real(ceil_div(terms, steps) * layer.taps) / (has_dots ? real(kDp4aTerms) : 1);
  double read = 0;
  for (std::size_t i = 0; i < layer.operands.size(); ++i)
    read += reads_of(layer.operands[i], k) * (fetches(k.fetch, i) ? 1 : 10) *
            (has_dots && i > 0 ? real(conflicts_of(layer, k)) : 1);
  const bool is_loop = k.sums() * layer.taps > kMostProducts;
  double thread = products_in_step * (real(k.sums()) + read + (is_loop ? 2 : 0));
  // A guard is a branch around each of them.
  if (!is_even(k.channel, layer.channels) || !is_even(k.row, layer.rows) ||
      !is_even(k.column, layer.columns) || (k.fetch != Fetch::Neither && layer.terms % k.step != 0))
    thread *= 2.5;
  double bytes = 0;
  for (std::size_t i = 0; i < layer.operands.size(); ++i) {
    const TileOperand& operand = layer.operands[i];
    const std::int64_t elements = operand.elements(k);
    if (fetches(k.fetch, i)) {
      const std::int64_t pieces = ceil_div(elements, k.threads() * operand.vector(k));
      thread += real(pieces) * (pieces > kMostPieces ? 40 : 6);
    }
    // Elements that are not fetched together are read by each thread, as a rule from a cache.
    bytes += real(elements * operand.element_bytes * steps * tiles) * (fetches(k.fetch, i) ? 1 : 2);
  }
  // Threads whose reads meet in one bank wait for each other.
  if (can_pad(layer, k) && !k.pad && !has_dots) thread *= 1.05;
  // Threads that fill no group of lanes wait with it.
  const std::int64_t group = std::max<std::int64_t>(m.lanes / 4, 1);
  const double groups = real(ceil_div(k.threads(), group));
  const double lanes = real(m.lanes) / real(group);
  const double at_once =
      blocks_at_once(m, {k.threads(), k.sums() + held_words(layer, k).value_or(0) + kOtherRegisters,
                         shared_bytes_of(layer, k)});
  // Time of `blocks` at once: a group of lanes runs instructions of one of its groups of threads in a cycle,
  // and waits where it has few of them.
  const auto step_time = [&](double blocks) {
    const double own = std::max(1.0, blocks * groups / lanes);
    const double compute = thread * (own + 1);
    constexpr double kLatency = 600;  // cycles of memory
    if (k.fetch == Fetch::Neither) return compute;
    return k.stages > 1 ? std::max(compute, kLatency / real(k.stages - 1)) + 300 / blocks
                        : compute + kLatency / blocks + 60;
  };
  const double time = real(steps) * time_of_blocks(m, tiles, at_once, step_time);
  // Neighbours in memory are read and written at once by neighbouring threads.
  const Tile& inner = layer.channels_last ? k.channel : k.column;
  const double scattered = 1 + 8.0 / real(std::min<std::int64_t>(inner.threads, 32) * 4);
  constexpr double kLaunch = 3000;
  const std::int64_t outputs = layer.outer * layer.channels * layer.rows * layer.columns;
  const double sum_up =
      k.parts == 1 ? 0 : kLaunch + real(outputs * (k.parts + 1) * kBankBytes) / real(m.memory_bytes);
  const double transfer = bytes / real(m.memory_bytes) * scattered;
  const double both =
      k.stages > 1 ? std::max(time, transfer) + std::min(time, transfer) / 4 : time + transfer;
  return both + sum_up;
}

TileKnobs tiles_default(const Tiles& layer, const GpuProfile& m) {
  TileKnobs best;
  best.channel.threads = std::min(kMostChannelThreads, std::min(m.most_threads, power_above(layer.channels)));
  double best_cost = tiles_cost(layer, best, m);
  const std::vector<Fetch> ways =
      m.shared_bytes == 0 ? std::vector{Fetch::Neither} : std::vector{Fetch::Both, Fetch::Neither};
  // Parts of a tile apart from each other: threads' reads of shared memory do not meet in one bank.
  const auto parts = [](const std::vector<std::int64_t>& each) {
    std::vector<Tile> result;
    for (const std::int64_t n : each)
      if (n <= 4 || n % 2 != 0) result.push_back({1, n, 1});
    for (const std::int64_t virtuals : {2, 4})
      if (each.back() >= 4) result.push_back({1, 4, virtuals});
    return result;
  };
  const Sizes sizes(layer);
  std::vector<Tile> of_channels = parts(sizes.channel_each);
  const std::vector<Tile> of_rows = parts(sizes.row_each), of_columns = parts(sizes.column_each);
  // Rows of terms of neighbouring threads lie side by side where these have neighbouring channels.
  for (const std::int64_t virtuals : {2, 4})
    if (layer.has_dots && sizes.channel_each.back() >= virtuals) of_channels.push_back({1, 1, virtuals});
  // Terms: what is fetched at a time, and how many parts of all are summed up apart.
  std::vector<std::pair<std::int64_t, std::int64_t>> ways_to_cut;
  for (const std::int64_t step : layer.has_dots ? std::array{8, 16, 32, 64} : std::array{4, 8, 16, 32})
    for (std::int64_t parts = 1; parts <= kMostParts; parts *= 2)
      if (step <= layer.terms / parts || parts == 1)
        ways_to_cut.emplace_back(std::min(step, layer.terms), parts);
  const bool is_small = layer.channels * layer.columns * layer.rows < 64;
  for (const std::int64_t tc : sizes.channel_threads)
    for (const std::int64_t tx : sizes.column_threads)
      for (const std::int64_t ty : sizes.row_threads) {
        if (tc * tx * ty > m.most_threads || (tc * tx * ty < 32 && !is_small && m.most_threads >= 64))
          continue;
        for (const Tile& c : of_channels)
          for (const Tile& x : of_columns)
            for (const Tile& y : of_rows) {
              TileKnobs k{{tc, c.each, c.virtuals}, {ty, y.each, 1}, {tx, x.each, x.virtuals}};
              if (y.virtuals > 1 || k.sums() > m.sums) continue;
              for (const Fetch fetch : ways)
                for (const auto& [step, parts] : ways_to_cut) {
                  k.fetch = fetch;
                  k.step = step;
                  k.parts = parts;
                  k.vector = most_vector(layer);
                  k.stages = kUsualStages;
                  const TileKnobs own = normal(layer, k, m);
                  if (fits(layer, own, m))
                    if (const double cost = tiles_cost(layer, own, m); cost < best_cost) {
                      best = own;
                      best_cost = cost;
                    }
                  if (fetch == Fetch::Neither) break;
                }
            }
      }
  TileKnobs padded = best;
  padded.pad = true;
  padded = normal(layer, padded, m);
  return fits(layer, padded, m) && tiles_cost(layer, padded, m) < best_cost ? padded : best;
}

namespace {

Point point_of(const Sizes& sizes, const TileKnobs& k) {
  const auto index = [](const std::vector<std::int64_t>& list, std::int64_t size) {
    return std::ranges::find(list, size) - list.begin() + 1;
  };
  return {index(sizes.channel_threads, k.channel.threads),
          index(sizes.channel_each, k.channel.each),
          power_index(k.channel.virtuals),
          index(sizes.row_threads, k.row.threads),
          index(sizes.row_each, k.row.each),
          index(sizes.column_threads, k.column.threads),
          index(sizes.column_each, k.column.each),
          power_index(k.column.virtuals),
          k.step,
          static_cast<std::int64_t>(k.fetch) + 1,
          k.pad ? 2 : 1,
          power_index(k.vector),
          k.held ? kMostStages + 1 : k.stages,
          power_index(k.parts)};
}

TileKnobs tiles_at(const Sizes& sizes, const Point& p) {
  const auto at = [&](const std::vector<std::int64_t>& list, std::size_t i) {
    return list.at(static_cast<std::size_t>(p.at(i) - 1));
  };
  const bool is_held = p.at(12) > kMostStages;
  return {{at(sizes.channel_threads, 0), at(sizes.channel_each, 1), power_at(p.at(2))},
          {at(sizes.row_threads, 3), at(sizes.row_each, 4), 1},
          {at(sizes.column_threads, 5), at(sizes.column_each, 6), power_at(p.at(7))},
          p.at(8),
          static_cast<Fetch>(p.at(9) - 1),
          p.at(10) == 2,
          power_at(p.at(11)),
          is_held ? 2 : p.at(12),
          is_held,
          power_at(p.at(13))};
}

}  // namespace

Point point_of(const Tiles& layer, const TileKnobs& k) { return point_of(Sizes(layer), k); }
TileKnobs tiles_at(const Tiles& layer, const Point& p) { return tiles_at(Sizes(layer), p); }

KnobSpace tile_knobs(const Tiles& layer, const GpuProfile& m) {
  const auto virtuals = [](std::int64_t extent) { return extent > 1 ? kMostVirtuals : 1; };
  const auto choice = [](const char* name, const std::vector<std::int64_t>& sizes) {
    Knob knob{name, static_cast<std::int64_t>(sizes.size()), {}};
    for (const std::int64_t size : sizes) knob.names.push_back(std::to_string(size));
    return knob;
  };
  const Sizes sizes(layer);
  return {{choice("channel_threads", sizes.channel_threads),
           choice("channel_each", sizes.channel_each),
           power_knob("channel_virtuals", 1, virtuals(layer.channels)),
           choice("row_threads", sizes.row_threads),
           choice("row_each", sizes.row_each),
           choice("column_threads", sizes.column_threads),
           choice("column_each", sizes.column_each),
           power_knob("column_virtuals", 1, virtuals(layer.columns)),
           {"step", std::min(kMostStep, layer.terms), {}},
           {"fetch", 4, {"both", "data", "weights", "neither"}},
           {"pad", 2, {"no", "yes"}},
           power_knob("vector", 1, most_vector(layer)),
           {"stages", kMostStages + 1, {"1", "2", "3", "4", "held"}},
           power_knob("parts", 1, kMostParts)},
          {.fits = [=](const Point& p) { return fits(layer, tiles_at(sizes, p), m); },
           .estimate = [=](const Point& p) { return tiles_cost(layer, tiles_at(sizes, p), m); },
           .normal = [=](const Point& p) { return point_of(sizes, normal(layer, tiles_at(sizes, p), m)); }}};
}

namespace {

/// Each part of the terms is summed up by blocks of its own; a second kernel adds up what they have.
void schedule_parts(Schedule& s, const Tensor& output, const Tensor& sum, const TileDims& dims,
                    const TileKnobs& k) {
  const IterVar all = s[sum].reduce_axis(*dims.terms);
  const Tensor parts = s.rfactor(sum, s[sum].split(all, all.extent() / k.parts).first);
  const Tensor own = s.cache_write(parts, grid::kThreadScope);
  const auto behind = [](std::optional<std::size_t> d) { return d ? std::optional(*d + 1) : d; };
  TileKnobs of_part = k;
  of_part.parts = 1;
  TileDims of_parts = dims;
  of_parts.channel += 1;
  of_parts.row = behind(dims.row);
  of_parts.column = behind(dims.column);
  schedule_tiles(s, parts, own, of_parts, of_part);
  schedule_flat(s, output, sum, {std::min(kAddingThreads, power_above(elements_of(output)))});
}

}  // namespace

void schedule_tiles(Schedule& s, const Tensor& output, const Tensor& sum, const TileDims& dims,
                    const TileKnobs& k) {
  if (k.parts > 1) return schedule_parts(s, output, sum, dims, k);
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
  const auto cut_at = [&](std::size_t d, const Tile& tile) {
    return cut(out, out.axis(d), tile, d + 1 == output.rank() && k.sums() <= kMostVectorSums);
  };
  const Cut channel = cut_at(dims.channel, k.channel);
  std::optional<Cut> row, column;
  if (dims.row) row = cut_at(*dims.row, k.row);
  if (dims.column) column = cut_at(*dims.column, k.column);
  std::vector<IterVar> order = others;
  const auto add = [&](IterVar Cut::* part) {
    for (const std::optional<Cut>& c : {row, column, std::optional(channel)})
      if (c && ((*c).*part).defined()) order.push_back((*c).*part);
  };
  add(&Cut::block);
  add(&Cut::virtuals);
  add(&Cut::thread);
  add(&Cut::each);
  if (column && !layer.channels_last) std::swap(order[order.size() - 2], order.back());
  out.reorder(order);
  if (row) others.push_back(row->block);
  if (!others.empty()) out.bind(fuse_all(out, others), ForKind::BlockZ);
  if (column) out.bind(column->block, ForKind::BlockY);
  out.bind(channel.block, ForKind::BlockX);
  // thread.x are neighbours in memory.
  const bool channels_last = dims.channel + 1 == output.rank();
  // A tile beyond the end of a short dimension has fewer threads than it could.
  Threads threads{1, 1, row ? row->thread.extent() : 1};
  if (row) out.bind(row->thread, ForKind::ThreadZ);
  out.bind(channel.thread, channels_last ? ForKind::ThreadX : ForKind::ThreadY);
  threads[channels_last ? 0 : 1] = channel.thread.extent();
  if (column) {
    out.bind(column->thread, channels_last ? ForKind::ThreadY : ForKind::ThreadX);
    threads[channels_last ? 1 : 0] = column->thread.extent();
  }

  Stage& sums = s[sum];
  sums.set_scope(grid::kThreadScope).compute_at(out, channel.thread);
  std::vector<IterVar> reduction = sums.compute().reduce_axes();
  std::optional<IterVar> steps;
  if (dims.terms && k.fetch != Fetch::Neither && k.step < reduction[*dims.terms].extent()) {
    const auto [outer, inner] = sums.split(reduction[*dims.terms], k.step);
    steps = outer;
    reduction[*dims.terms] = inner;
  }
  std::optional<IterVar> word;
  if (uses_dp4a(layer, k)) {
    const auto [words, own] = sums.split(reduction[*dims.terms], kDp4aTerms);
    reduction[*dims.terms] = words;
    word = own;
  }
  // Written out, what several products read stays in registers.
  std::vector<IterVar> within;
  std::int64_t products = k.sums() * (word ? kDp4aTerms : 1);
  for (auto axis = reduction.rbegin(); axis != reduction.rend(); ++axis) {
    std::int64_t part = axis->extent();
    while (part > 1 && (axis->extent() % part != 0 || products * part > kMostProducts)) --part;
    products *= axis->extent();
    IterVar inner = *axis;
    if (part < axis->extent() && part > 1) {
      IterVar outer;
      std::tie(outer, inner) = sums.split(*axis, part);
      within.insert(within.begin(), {outer, inner});
    } else {
      within.insert(within.begin(), inner);
    }
    if (part > 1) sums.unroll(inner);
  }
  std::vector<IterVar> loops;
  if (steps) loops.push_back(*steps);
  loops.insert(loops.end(), within.begin(), within.end());
  for (const auto& d : {dims.row, dims.column, std::optional(dims.channel)}) {
    if (!d) continue;
    loops.push_back(sums.axis(*d));
    sums.unroll(sums.axis(*d));
  }
  if (word) loops.push_back(*word);
  sums.reorder(loops);
  if (word) sums.tensorize(*word, grid::kDp4a, schedule::Reset::Before);
  for (const auto& [tensor, operand] : fetched) {
    Stage& fetch = s[tensor];
    if (steps)
      fetch.compute_at(sums, *steps);
    else
      fetch.compute_at(out, channel.block);
    for (std::size_t d = 0; k.pad && d < operand->dimensions.size(); ++d)
      if (operand->free_behind(d, k) > 0) fetch.pad_stride(fetch.axis(d), operand->free_behind(d, k));
    if (k.stages > 1) fetch.double_buffer(k.stages);
    if (k.held) fetch.hold();
    fill_together(fetch, *operand, k, threads);
  }
}

}  // namespace vdla::pipeline::gpu
