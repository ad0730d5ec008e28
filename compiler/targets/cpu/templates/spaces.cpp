// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/cpu/templates/spaces.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "support/ceil_div.h"

namespace vdla::pipeline::cpu {
namespace {

// Statements of an innermost loop that is written out: more find no room in the cache of decoded
// instructions, and take LLVM seconds.
constexpr std::int64_t kMostWritten = 512;
constexpr std::int64_t kMostStep = 16;

constexpr double kCyclesPerNanosecond = 3;

Knob size(const char* name, std::int64_t values) { return {name, std::max<std::int64_t>(values, 1), {}}; }
Knob choice(const char* name, std::vector<std::string> values) {
  const auto count = std::ssize(values);
  return {name, count, std::move(values)};
}
Knob share_knob() { return choice("share", {"images", "bands", "channels"}); }

std::int64_t index_of(bool second) { return second ? 2 : 1; }
std::int64_t index_of(Share share) { return static_cast<std::int64_t>(share) + 1; }
Share share_at(std::int64_t value) { return static_cast<Share>(value - 1); }

/// Factor that puts points near the default first, where estimates say nothing of them.
double apart_from_default(int knobs) { return 1 + 0.02 * knobs; }

/// One image is not shared.
Share normal_share(Share share, std::int64_t images) {
  return share == Share::Images && images == 1 ? Share::Bands : share;
}

Point same(Point point) { return point; }

}  // namespace

Point point_of(const Conv2dKnobs& k) {
  return {k.out_tile,
          k.row_tile,
          k.col_tile,
          k.band,
          index_of(k.by_block),
          index_of(k.channels_outside),
          index_of(!k.channels_inside),
          index_of(k.taps_unrolled),
          k.step,
          index_of(k.share)};
}

Conv2dKnobs conv2d_at(const Point& p, Conv2dKnobs k) {
  k.out_tile = p.at(0);
  k.row_tile = p.at(1);
  k.col_tile = p.at(2);
  k.band = p.at(3);
  k.by_block = p.at(4) == 2;
  k.channels_outside = p.at(5) == 2;
  k.channels_inside = p.at(6) == 1;
  k.taps_unrolled = p.at(7) == 2;
  k.step = p.at(8);
  k.share = share_at(p.at(9));
  return k;
}

KnobSpace conv2d_knobs(const Conv2d& c, std::int64_t in_block, const CpuProfile& m) {
  const std::int64_t lanes = m.lanes(4);
  const Conv2dKnobs layout{in_block, lanes, 1, 1, 1, 1};
  return {
      {size("out_tile", ceil_div(c.out_channels, lanes)), size("row_tile", c.out_height()),
       size("col_tile", c.out_width()), size("band", c.out_height()), choice("sums", {"at-once", "by-block"}),
       choice("outside", {"bands", "channels"}), choice("inside", {"channels", "taps"}),
       choice("taps", {"rolled", "unrolled"}), size("step", std::min(in_block, kMostStep)), share_knob()},
      {.fits =
           [=](const Point& p) {
             const Conv2dKnobs k = conv2d_at(p, layout);
             const std::int64_t sums = k.out_tile * k.row_tile * k.col_tile;
             return sums <= m.vector_registers && in_block % k.step == 0 &&
                    sums * k.step * (k.taps_unrolled ? c.kernel_width : 1) <= kMostWritten;
           },
       .estimate =
           [=](const Point& p) {
             const Conv2dKnobs k = conv2d_at(p, layout);
             const int others = (k.channels_inside ? 0 : 1) + (k.taps_unrolled ? 1 : 0) +
                                (k.step > 1 ? 1 : 0) + (k.channels_outside ? 1 : 0);
             return conv2d_cost(c, k, m) * static_cast<double>(c.work() * c.images / lanes) /
                    kCyclesPerNanosecond * apart_from_default(others);
           },
       .normal =
           [=](const Point& p) {
             Conv2dKnobs k = conv2d_at(p, layout);
             k.row_tile = std::min(k.row_tile, k.band);
             if (c.kernel_width == 1) k.taps_unrolled = false;
             if (c.kernel_width == 1 && c.kernel_height == 1) k.channels_inside = true;
             k.share = normal_share(k.share, c.images);
             return point_of(k);
           }}};
}

Point point_of(const DepthwiseKnobs& k) {
  return {k.col_tile, k.row_tile, k.band, index_of(!k.unrolled), index_of(k.share)};
}

DepthwiseKnobs depthwise_at(const Point& p) {
  return {p.at(0), p.at(2), p.at(1), p.at(3) == 1, share_at(p.at(4))};
}

KnobSpace depthwise_knobs(const Conv2d& c, const CpuProfile& m) {
  return {{size("col_tile", c.out_width()), size("row_tile", c.out_height()), size("band", c.out_height()),
           choice("taps", {"unrolled", "rolled"}), share_knob()},
          {.fits =
               [=](const Point& p) {
                 const DepthwiseKnobs k = depthwise_at(p);
                 return k.col_tile * k.row_tile <= m.vector_registers;
               },
           .estimate =
               [=](const Point& p) {
                 const DepthwiseKnobs k = depthwise_at(p);
                 return depthwise_cost(c, k, m) * static_cast<double>(c.images) / kCyclesPerNanosecond;
               },
           .normal =
               [=](const Point& p) {
                 DepthwiseKnobs k = depthwise_at(p);
                 k.row_tile = std::min(k.row_tile, k.band);
                 k.share = normal_share(k.share, c.images);
                 return point_of(k);
               }}};
}

Point point_of(const PanelKnobs& k) {
  return {k.row_tile, index_of(k.rows_outside), k.step, index_of(k.share_rows)};
}

PanelKnobs panels_at(const Point& p) { return {p.at(0), p.at(1) == 2, p.at(2), p.at(3) == 2}; }

KnobSpace panel_knobs(const Panels& product, const CpuProfile& m) {
  const std::int64_t vectors = product.width / m.lanes(4);
  return {{size("row_tile", product.rows), choice("outside", {"panels", "rows"}),
           size("step", std::min(product.depth, kMostStep)), choice("share", {"panels", "rows"})},
          {.fits =
               [=](const Point& p) {
                 const PanelKnobs k = panels_at(p);
                 return (k.row_tile == 1 || k.row_tile * vectors <= m.vector_registers) &&
                        product.depth % k.step == 0 && k.row_tile * vectors * k.step <= kMostWritten;
               },
           .estimate =
               [=](const Point& p) {
                 const PanelKnobs k = panels_at(p);
                 return panels_cost(product, k, m) / kCyclesPerNanosecond *
                        apart_from_default(k.rows_outside ? 1 : 0);
               },
           .normal = same}};
}

// The order is in the rows of a band: one is a band of one, all a tile of channels at a time.
Point point_of(const DotKnobs& k, const Dots& layer) {
  return {k.lanes, k.vectors, k.columns, k.rows_outside ? k.band : layer.rows + 1, k.step, k.share};
}

DotKnobs dots_at(const Point& p, const Dots& layer) {
  const bool rows_outside = p.at(3) <= layer.rows;
  return {p.at(0), p.at(1), p.at(2), rows_outside, rows_outside ? p.at(3) : 1, p.at(4), p.at(5)};
}

KnobSpace dot_knobs(const Dots& layer, const CpuProfile& m) {
  const std::int64_t most_lanes = std::min<std::int64_t>(m.lanes(4), 16);
  return {{size("lanes", most_lanes), size("vectors", layer.channels / 4), size("columns", layer.columns),
           size("band", layer.rows + 1), size("step", std::min(layer.steps, kMostStep)), size("share", 4)},
          {.fits =
               [=](const Point& p) {
                 const DotKnobs k = dots_at(p, layer);
                 return k.lanes >= 4 && most_lanes % k.lanes == 0 &&
                        layer.channels % (k.lanes * k.vectors) == 0 &&
                        (k.vectors == 1 || k.vectors * k.columns <= m.vector_registers) && k.columns <= 32 &&
                        layer.steps % k.step == 0 && k.vectors * k.columns * k.step <= kMostWritten;
               },
           .estimate =
               [=](const Point& p) { return dot_cost(layer, dots_at(p, layer), m) / kCyclesPerNanosecond; },
           .normal =
               [=](const Point& p) {
                 DotKnobs k = dots_at(p, layer);
                 // A band of all rows of the one image is a tile of channels at a time.
                 if (k.rows_outside && k.band > 1 && k.band == layer.rows && layer.images == 1) {
                   k.rows_outside = false;
                   k.band = 1;
                 }
                 const std::int64_t loops = (layer.images > 1 ? 1 : 0) +
                                            (ceil_div(layer.rows, k.rows_outside ? k.band : 1) > 1 ? 1 : 0) +
                                            (k.rows_outside && k.band > 1 ? 1 : 0) +
                                            (layer.channels > k.lanes * k.vectors ? 1 : 0) +
                                            (layer.columns > k.columns ? 1 : 0);
                 k.share = std::clamp<std::int64_t>(k.share, 1, std::max<std::int64_t>(loops, 1));
                 return point_of(k, layer);
               }}};
}

Point point_of(const QuantizedKnobs& k) {
  return {k.lanes, k.vectors, k.columns, index_of(k.columns_inside), k.step};
}

QuantizedKnobs quantized_at(const Point& p) { return {p.at(0), p.at(1), p.at(2), p.at(3) == 2, p.at(4)}; }

KnobSpace quantized_knobs(const Integers& layer, const CpuProfile& m) {
  const std::int64_t most_lanes = m.lanes(4);
  return {
      {size("lanes", most_lanes), size("vectors", layer.channels / 4), size("columns", layer.columns),
       choice("inside", {"channels", "columns"}), size("step", std::min(layer.innermost_terms, kMostStep))},
      {.fits =
           [=](const Point& p) {
             const QuantizedKnobs k = quantized_at(p);
             return k.lanes >= 4 && most_lanes % k.lanes == 0 &&
                    layer.channels % (k.lanes * k.vectors) == 0 &&
                    k.vectors * k.columns <= m.vector_registers && layer.innermost_terms % k.step == 0 &&
                    k.vectors * k.columns * k.step <= kMostWritten;
           },
       .estimate =
           [=](const Point& p) {
             const QuantizedKnobs k = quantized_at(p);
             const auto sums = static_cast<double>(k.vectors * k.columns);
             // Two bytes widened, multiplied and added; the loop; weights and data read.
             const double step =
                 (4 + (k.step > 1 ? 0.5 : 1) / sums + static_cast<double>(k.vectors + k.columns) / 2 / sums +
                  2 * std::max(0.0, sums + 3 - static_cast<double>(m.vector_registers)) / sums);
             return static_cast<double>(layer.outputs * layer.terms) / static_cast<double>(k.lanes) * step /
                    kCyclesPerNanosecond * apart_from_default(k.columns_inside ? 1 : 0);
           },
       .normal = same}};
}

}  // namespace vdla::pipeline::cpu
