// SPDX-License-Identifier: Apache-2.0
#include "compiler/targets/vdla/templates/spaces.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

namespace vdla::pipeline::device {
namespace {

constexpr Reuse kReuses[] = {Reuse::Stream, Reuse::KeepInput, Reuse::KeepWeights};

// More take turns at less than a tile of room each.
constexpr std::int64_t kMostThreads = 4;

ConvKnobs conv_knobs_at(const Point& p) {
  return {p.at(0), p.at(1),
          p.at(2), p.at(3),
          p.at(4), p.at(5),
          p.at(6), kReuses[static_cast<std::size_t>(p.at(7) - 1)],
          p.at(8), p.size() > 9 && p[9] == 2};
}

TileKnobs tile_knobs_at(const Point& p) { return {p.at(0), p.at(1), p.at(2), p.at(3)}; }

std::vector<std::string> names_of_reuses() {
  std::vector<std::string> names;
  for (const Reuse reuse : kReuses) names.emplace_back(to_string(reuse));
  return names;
}

}  // namespace

Point point_of(const ConvKnobs& k, const Space& s) {
  const auto reuse = std::ranges::find(kReuses, k.reuse) - std::begin(kReuses) + 1;
  Point p{k.tile_h, k.tile_w, k.tile_n, k.tile_c, k.tile_kh, k.load_n, k.store_n, reuse, k.vthreads};
  if (s.corrects) p.push_back(k.corrected ? 2 : 1);
  return p;
}

Point point_of(const TileKnobs& k) { return {k.tile_h, k.tile_w, k.tile_c, k.tile_kh}; }

LayerSpace layer_space(const Space& s, const isa::Geometry& g, const isa::Timing& t) {
  std::vector<Knob> knobs = {{"tile_h", s.out_h, {}},
                             {"tile_w", s.out_w, {}},
                             {"tile_n", s.out_blocks, {}},
                             {"tile_c", s.in_blocks, {}},
                             {"tile_kh", s.window.kernel_h, {}},
                             {"load_n", s.out_blocks + (s.corrects ? 1 : 0), {}},
                             {"store_n", s.out_blocks, {}},
                             {"reuse", std::ssize(kReuses), names_of_reuses()},
                             {"vthreads", kMostThreads, {}}};
  if (s.corrects) knobs.push_back({"zero_point", 2, {"parts", "correction"}});
  return {KnobSpace(std::move(knobs),
                    {.fits =
                         [=](const Point& p) {
                           const ConvKnobs k = conv_knobs_at(p);
                           return thread_axis(s, k).has_value() && corrects_evenly(s, k) &&
                                  fits(footprint(s, k), g);
                         },
                     .estimate = [=](const Point& p) { return estimate(s, conv_knobs_at(p), g, t); },
                     .normal =
                         [=](const Point& p) {
                           // Loads and stores are parts of a tile. Kept weights are one load.
                           ConvKnobs k = conv_knobs_at(p);
                           k.store_n = std::min(k.store_n, k.tile_n);
                           k.load_n = k.reuse == Reuse::KeepWeights ? k.gemm_blocks()
                                                                    : std::min(k.load_n, k.gemm_blocks());
                           return point_of(k, s);
                         }}),
          [](const Point& p) -> Knobs { return conv_knobs_at(p); }};
}

LayerSpace layer_space(const Space& s, const TileCost& cost, const isa::Geometry& g, const isa::Timing& t) {
  std::vector<Knob> knobs = {{"tile_h", s.out_h, {}},
                             {"tile_w", s.out_w, {}},
                             {"tile_c", s.out_blocks, {}},
                             {"tile_kh", s.window.kernel_h, {}}};
  return {KnobSpace(
              std::move(knobs),
              {.fits = [=](const Point& p) { return fits(footprint(s, cost, tile_knobs_at(p)), g); },
               .estimate = [=](const Point& p) { return work_of(s, cost, tile_knobs_at(p), g, t)->total(); },
               .normal = [](Point p) { return p; }}),
          [](const Point& p) -> Knobs { return tile_knobs_at(p); }};
}

}  // namespace vdla::pipeline::device
