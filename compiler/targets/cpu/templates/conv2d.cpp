// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/cpu/templates/conv2d.h"

#include <algorithm>
#include <optional>

#include "support/ceil_div.h"
#include "support/error.h"

namespace vdla::pipeline::cpu {
namespace {

using expr::IterVar;
using expr::Tensor;

std::vector<std::int64_t> divisors(std::int64_t n) {
  std::vector<std::int64_t> result;
  for (std::int64_t d = 1; d <= n; ++d) {
    if (n % d == 0) result.push_back(d);
  }
  return result;
}

constexpr std::int64_t kMostTaps = 25;  // taps of a depthwise kernel that is written out

/// Bytes of the copied input of a band.
std::int64_t band_bytes(const Conv2d& c, const Conv2dKnobs& k) {
  const std::int64_t rows = (k.band - 1) * c.stride_height + c.kernel_height;
  return 4 * rows * (c.in_width + c.pad_left + c.pad_right) * ceil_div(c.in_channels, k.in_block) *
         k.in_block;
}

std::int64_t input_block(const Conv2d& c, std::int64_t lanes) {
  return c.in_channels % lanes == 0 ? lanes : std::min(c.in_channels, lanes);
}

/// The input with its border, where that is a stage of its own.
std::optional<Tensor> bordered_input(const schedule::Schedule& s, const Tensor& sum) {
  for (const Tensor& input : expr::inputs_of(sum.compute()))
    if (s.has_stage(input)) return input;
  return std::nullopt;
}

/// The loops of the sums' reduction, outermost first: blocks of channels, then taps and a block's channels.
std::vector<IterVar> reduction_of(schedule::Stage& sum, const Conv2dKnobs& k) {
  const IterVar blocks = sum.reduce_axis(0), rows = sum.reduce_axis(1), taps = sum.reduce_axis(2);
  std::vector<IterVar> channels{sum.reduce_axis(3)};
  if (k.step > 1) {
    const auto [outer, inner] = sum.split(channels[0], k.step);
    sum.unroll(inner);
    channels = {outer, inner};
  }
  std::vector<IterVar> order{blocks};
  if (!k.channels_inside) order.push_back(channels.front());
  order.insert(order.end(), {rows, taps});
  order.insert(order.end(), channels.begin() + (k.channels_inside ? 0 : 1), channels.end());
  if (k.taps_unrolled) sum.unroll(taps);
  return order;
}

/// Bytes of a copied row of one block of channels.
std::int64_t row_bytes(const Conv2d& c, const CpuProfile& m) {
  return (c.in_width + c.pad_left + c.pad_right) * m.vector_bytes;
}

/// Cost of ragged tiles over that of the outputs that there are: 1 where all tiles are full. A part of a tile
/// takes half the time of what is missing.
double parts_over_whole(const Conv2d& c, const Conv2dKnobs& k) {
  const auto rows_of = [&](std::int64_t rows) { return ceil_div(rows, k.row_tile) * k.row_tile; };
  const std::int64_t rows = c.out_height() / k.band * rows_of(k.band) + rows_of(c.out_height() % k.band);
  const std::int64_t columns = ceil_div(c.out_width(), k.col_tile) * k.col_tile;
  const std::int64_t blocks = ceil_div(c.out_channels, k.out_block),
                     channels = ceil_div(blocks, k.out_tile) * k.out_tile;
  const std::int64_t whole = c.out_height() * c.out_width() * blocks, parts = rows * columns * channels;
  return 1 + static_cast<double>(parts - whole) / static_cast<double>(2 * whole);
}

/// Loop that threads share by default: whatever there is enough of.
Share shared_loop(const Conv2d& c, const Conv2dKnobs& k) {
  constexpr std::int64_t kEnough = 4;  // parts that two threads end together, nearly
  if (c.images > 1) return Share::Images;
  const std::int64_t bands = ceil_div(c.out_height(), k.band),
                     tiles = ceil_div(ceil_div(c.out_channels, k.out_block), k.out_tile);
  return bands >= kEnough || bands >= tiles ? Share::Bands : Share::Channels;
}

}  // namespace

double conv2d_cost(const Conv2d& c, const Conv2dKnobs& k, const CpuProfile& m) {
  const auto real = [](std::int64_t v) { return static_cast<double>(v); };
  const double positions = real(k.row_tile * k.col_tile), sums = positions * real(k.out_tile);
  // One step of the reduction: all sums, with the weights' vectors and one number of each position loaded.
  const double loads = (real(k.out_tile) + positions) / 2;
  double cycles = std::max({sums / real(m.fma_per_cycle), loads, real(m.fma_latency)}) + loads / 10;
  // Sums that find no register go through memory.
  cycles += 2 * std::max(0.0, sums + real(k.out_tile) + 1 - real(m.vector_registers));
  // The weights come from the second-level cache, half a line in a cycle, beside the arithmetic; those of one
  // block of channels stay in the first.
  const std::int64_t rows = ceil_div(k.band, k.row_tile) * ceil_div(c.out_width(), k.col_tile);
  const double line = real(k.out_tile * m.vector_bytes) / 32;
  cycles += std::max(0.0, line / (k.by_block ? real(rows) : 1.0) - cycles / 2);
  const double ragged = parts_over_whole(c, k);
  const double steps = real(c.work()) / real(m.lanes(4)) / sums * ragged;
  double total = cycles * steps;
  // Reading and writing the sums between blocks, and setting up the loops of a tile.
  const double tiles =
      real(c.out_height() * c.out_width() * ceil_div(c.out_channels, k.out_block)) / sums * ragged;
  const double visits = k.by_block ? real(ceil_div(c.in_channels, k.in_block)) : 1;
  total += tiles * visits * (sums * (k.by_block ? 3 : 1) + 20);
  // The copy of the border, and again what does not stay in the second-level cache beside the weights of a
  // tile.
  const double weights =
      4 * real(c.in_channels * c.kernel_height * c.kernel_width * k.out_tile * k.out_block);
  const double bands = real(ceil_div(c.out_height(), k.band)), band = real(band_bytes(c, k));
  const double tiles_of_channels = real(ceil_div(c.out_channels, k.out_tile * k.out_block));
  if (c.padded()) total += bands * band / 16 * (k.channels_outside ? tiles_of_channels : 1);
  // The copied rows pass through that cache too, and so do the weights of the next tile.
  const double held =
      2 * band + 1.5 * (k.by_block ? weights / real(ceil_div(c.in_channels, k.in_block)) : weights);
  if (held > 0.9 * real(m.l2_bytes)) total *= 1.1;
  // All weights for each band, from the third-level cache or beyond.
  const double all_weights = tiles_of_channels * weights;
  if (all_weights > 0.5 * real(m.l2_bytes) && !k.channels_outside) total += (bands - 1) * all_weights / 32;
  return total / (real(c.work()) / real(m.lanes(4)));
}

std::vector<Conv2dKnobs> conv2d_space(const Conv2d& c, const CpuProfile& m) {
  std::vector<Conv2dKnobs> space;
  const std::int64_t lanes = m.lanes(4);
  const std::int64_t out_blocks = ceil_div(c.out_channels, lanes);
  for (std::int64_t out_tile : divisors(out_blocks)) {
    if (out_tile > 8) break;
    for (std::int64_t row_tile : divisors(c.out_height())) {
      for (std::int64_t col_tile : divisors(c.out_width())) {
        const std::int64_t sums = out_tile * row_tile * col_tile;
        if (sums > m.vector_registers || row_tile > 4) break;
        for (std::int64_t band : divisors(c.out_height())) {
          if (band % row_tile != 0) continue;
          for (bool by_block : {false, true})
            space.push_back({input_block(c, lanes), lanes, out_tile, row_tile, col_tile, band, by_block});
        }
      }
    }
  }
  return space;
}

Conv2dKnobs conv2d_default(const Conv2d& c, const CpuProfile& m) {
  const std::vector<Conv2dKnobs> space = conv2d_space(c, m);
  VDLA_CHECK(!space.empty()) << "no way to compute a convolution";
  Conv2dKnobs best =
      *std::ranges::min_element(space, {}, [&](const Conv2dKnobs& k) { return conv2d_cost(c, k, m); });
  best.share = shared_loop(c, best);
  return best;
}

void schedule_conv2d(schedule::Schedule& s, const Tensor& out, const Tensor& sums, const Conv2dKnobs& k,
                     bool parallel) {
  schedule::Stage& output = s[out];
  const IterVar image = output.axis(0), lane = output.axis(4);
  const auto [ko, ki] = output.split(output.axis(1), k.out_tile);
  const auto [band, row] = output.split(output.axis(2), k.band);
  const auto [po, pi] = output.split(row, k.row_tile);
  const auto [qo, qi] = output.split(output.axis(3), k.col_tile);
  const IterVar &outer = k.channels_outside ? ko : band, &inner = k.channels_outside ? band : ko;
  output.reorder({image, outer, inner, po, qo, ki, pi, qi, lane});
  output.unroll(ki).unroll(pi).unroll(qi).vectorize(lane);
  if (parallel) output.parallel(k.share == Share::Images ? image : k.share == Share::Bands ? band : ko);
  schedule::Stage& sum = s[sums];
  // One number of the input at a time is in a register, for all its channels' sums.
  const std::vector<IterVar> reduction = reduction_of(sum, k);
  const auto order = [&](std::vector<IterVar> between, std::vector<IterVar> inside) {
    between.insert(between.begin(), reduction.front());
    between.insert(between.end(), reduction.begin() + 1, reduction.end());
    between.insert(between.end(), inside.begin(), inside.end());
    sum.reorder(between);
  };
  if (k.by_block) {
    sum.compute_at(output, inner);
    const auto [spo, spi] = sum.split(sum.axis(2), k.row_tile);
    const auto [sqo, sqi] = sum.split(sum.axis(3), k.col_tile);
    order({spo, sqo}, {spi, sqi, sum.axis(1), sum.axis(4)});
    sum.unroll(spi).unroll(sqi);
  } else {
    sum.compute_at(output, qo);
    order({}, {sum.axis(2), sum.axis(3), sum.axis(1), sum.axis(4)});
    sum.unroll(sum.axis(2)).unroll(sum.axis(3));
  }
  sum.unroll(sum.axis(1)).vectorize(sum.axis(4));
  if (const auto border = bordered_input(s, sums)) {
    schedule::Stage& padded = s[*border];
    padded.compute_at(output, band);
    padded.vectorize(padded.axis(4));
  }
}

DepthwiseKnobs depthwise_default(const Conv2d& c, const CpuProfile& m) {
  // A weight and an input stand beside the sums; a full tile hides the latency of additions.
  const std::int64_t most = std::max<std::int64_t>(1, m.vector_registers - 2);
  DepthwiseKnobs knobs{1, 1};
  for (std::int64_t d : divisors(c.out_width()))
    if (d <= std::min<std::int64_t>(most, 14)) knobs.col_tile = d;
  for (std::int64_t d : divisors(c.out_height())) {
    const std::int64_t rows = (d - 1) * c.stride_height + c.kernel_height;
    if (rows * row_bytes(c, m) <= m.l2_bytes / 4) knobs.band = d;
  }
  if (c.images > 1 && ceil_div(c.out_channels, m.lanes(4)) == 1) knobs.share = Share::Images;
  return knobs;
}

double depthwise_cost(const Conv2d& c, const DepthwiseKnobs& k, const CpuProfile& m) {
  const auto real = [](std::int64_t v) { return static_cast<double>(v); };
  const double sums = real(k.col_tile * k.row_tile), taps = real(c.kernel_height * c.kernel_width);
  double step = std::max({sums / real(m.fma_per_cycle), (sums + 1) / 2, real(m.fma_latency)});
  step += 2 * std::max(0.0, sums + 2 - real(m.vector_registers));
  const std::int64_t tiles = (c.out_height() / k.band * ceil_div(k.band, k.row_tile) +
                              ceil_div(c.out_height() % k.band, k.row_tile)) *
                             ceil_div(c.out_width(), k.col_tile);
  double block = real(tiles) * (taps * step + (k.unrolled ? 10 : 10 + 2 * taps));
  const std::int64_t rows = (k.band - 1) * c.stride_height + c.kernel_height;
  if (c.padded()) {
    block += real(ceil_div(c.out_height(), k.band) * rows * row_bytes(c, m)) / 16;
    if (rows * row_bytes(c, m) > m.l2_bytes / 2) block *= 1.1;
  }
  return block * real(ceil_div(c.out_channels, m.lanes(4)));
}

void schedule_depthwise(schedule::Schedule& s, const Tensor& out, const Tensor& sums, const DepthwiseKnobs& k,
                        bool parallel) {
  schedule::Stage& output = s[out];
  const IterVar image = output.axis(0), block = output.axis(1), lane = output.axis(4);
  const auto [band, row] = output.split(output.axis(2), k.band);
  const auto [qo, qi] = output.split(output.axis(3), k.col_tile);
  if (k.row_tile > 1) {
    const auto [po, pi] = output.split(row, k.row_tile);
    output.reorder({image, block, band, po, qo, pi, qi, lane});
    output.unroll(pi);
  } else {
    output.reorder({image, block, band, row, qo, qi, lane});
  }
  output.unroll(qi).vectorize(lane);
  if (parallel) output.parallel(k.share == Share::Images ? image : k.share == Share::Bands ? band : block);
  schedule::Stage& sum = s[sums];
  sum.compute_at(output, qo);
  const auto &r = sum.reduce_axis(0), &rs = sum.reduce_axis(1);
  if (k.row_tile > 1) {
    sum.reorder({r, rs, sum.axis(2), sum.axis(3), sum.axis(4)});
    sum.unroll(sum.axis(2));
  } else {
    sum.reorder({r, rs, sum.axis(3), sum.axis(4)});
  }
  if (k.unrolled && r.extent() * rs.extent() <= kMostTaps) sum.unroll(r).unroll(rs);
  sum.unroll(sum.axis(3)).vectorize(sum.axis(4));
  if (const auto border = bordered_input(s, sums)) {
    schedule::Stage& padded = s[*border];
    padded.compute_at(output, band);
    padded.vectorize(padded.axis(4));
  }
}

}  // namespace vdla::pipeline::cpu
