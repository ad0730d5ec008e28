// SPDX-License-Identifier: Apache-2.0
// Weighted means of neighbours: images that are resized by whole factors. Rows, and columns, of equal weights
// at constant distances are one region: the sum of its neighbours by weights that are immediates, over the
// sum of the weights, stored between those of the other regions. Each region is an output of one schedule.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/expr/dsl.h"
#include "compiler/intrinsics/table.h"
#include "compiler/schedule/schedule.h"
#include "compiler/targets/vdla/templates/from_graph.h"
#include "compiler/targets/vdla/templates/limits.h"
#include "compiler/targets/vdla/templates/operator.h"
#include "compiler/targets/vdla/templates/places.h"
#include "compiler/targets/vdla/templates/vector_template.h"
#include "support/error.h"
#include "support/fixed_point.h"

namespace vdla::pipeline::device {

using expr::Tensor;
using expr::Value;

namespace {

/// Regions that are worth their instructions.
constexpr std::size_t kMostRegions = 128;

/// Weights of one or two neighbours that are `apart`, without common factor.
struct Weights {
  std::int64_t apart = 0;  ///< 0: one
  std::int64_t first = 1, second = 0;
  auto operator<=>(const Weights&) const = default;

  std::int64_t neighbours() const { return apart == 0 ? 1 : 2; }
  std::int64_t sum() const { return first + second; }
};

struct MeanRun {
  PlaceRun places;
  Weights weights;

  /// Distance of windows of two neighbours; single ones are as far apart as their view says.
  std::int64_t stride() const { return weights.apart == 0 ? 1 : std::max<std::int64_t>(places.from_step, 1); }
  std::int64_t view_step() const { return weights.apart == 0 ? places.from_step : 1; }
  /// Rows, or columns, of the input from the first to the last.
  std::int64_t reach() const { return (places.count - 1) * stride() + weights.apart + 1; }
};

/// The only neighbour that counts, or two, and their weights.
std::pair<std::int64_t, Weights> neighbours_of(const Bilinear::Place& place, std::int64_t parts) {
  if (place.weight == 0 || place.first == place.second) return {place.first, {}};
  if (place.weight == parts) return {place.second, {}};
  const std::int64_t common = std::gcd(place.weight, parts);
  return {place.first, {place.second - place.first, (parts - place.weight) / common, place.weight / common}};
}

/// Places of equal weights with constant distances. None goes backwards.
void append_runs(std::vector<MeanRun>& runs, const Weights& weights,
                 const std::vector<std::pair<std::int64_t, std::int64_t>>& places) {
  const std::int64_t least = weights.apart == 0 ? 0 : 1;
  for (std::size_t i = 0; i < places.size();) {
    PlaceRun run{1, places[i].first, 0, places[i].second, 0};
    std::size_t next = i + 1;
    if (next < places.size() && places[next].second - places[i].second >= least) {
      run.to_step = places[next].first - places[i].first;
      run.from_step = places[next].second - places[i].second;
      const auto goes_on = [&] {
        return next < places.size() && places[next].first - places[next - 1].first == run.to_step &&
               places[next].second - places[next - 1].second == run.from_step;
      };
      for (; goes_on(); ++next) ++run.count;
    }
    i = next;
    runs.push_back({run, weights});
  }
}

std::vector<MeanRun> mean_runs(const std::vector<Bilinear::Place>& places, std::int64_t parts) {
  std::map<Weights, std::vector<std::pair<std::int64_t, std::int64_t>>> alike;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto [from, weights] = neighbours_of(places[i], parts);
    alike[weights].emplace_back(i, from);
  }
  std::vector<MeanRun> runs;
  for (const auto& [weights, of] : alike) append_runs(runs, weights, of);
  return runs;
}

/// Pixels of equal weights.
struct MeanRegion {
  MeanRun rows, columns;
  std::int64_t channels;

  Image in() const { return {rows.reach(), columns.reach(), channels}; }
  Image out() const { return {rows.places.count, columns.places.count, channels}; }
  std::int64_t weight() const { return rows.weights.sum() * columns.weights.sum(); }
  SlidingWindow window() const {
    SlidingWindow w{rows.weights.neighbours(), columns.weights.neighbours(), rows.stride(), columns.stride()};
    w.dilation_h = std::max<std::int64_t>(rows.weights.apart, 1);
    w.dilation_w = std::max<std::int64_t>(columns.weights.apart, 1);
    return w;
  }
};

std::vector<MeanRegion> regions_of(const Bilinear& op) {
  std::vector<MeanRegion> regions;
  const std::vector<MeanRun> columns = mean_runs(op.columns, op.parts);
  for (const MeanRun& rows : mean_runs(op.rows, op.parts))
    for (const MeanRun& run : columns) regions.push_back({rows, run, op.out.c});
  return regions;
}

Space space_of(const MeanRegion& region, const isa::Geometry& g) {
  return tile_space(region.in(), region.out(), region.window(), {}, g);
}
TileCost cost_of(const MeanRegion& region, const isa::Geometry& g) {
  return window_cost(region.window(), 0, g);
}

void check_mean_places(const Bilinear& op, const char* what, const std::vector<Bilinear::Place>& places,
                       std::int64_t have, std::int64_t need) {
  check_size(op.name, what, places.size(), need);
  for (const Bilinear::Place& p : places)
    VDLA_CHECK_USER(p.first >= 0 && p.first <= p.second && p.second < have && p.weight >= 0 &&
                    p.weight <= op.parts)
        << op.name << ": " << what << " name " << p.first << " and " << p.second << " by weight " << p.weight
        << " of " << op.parts << ", needs ascending places below " << have;
}

void check(const Bilinear& op) {
  check_image(op.name, "input", op.in);
  check_image(op.name, "output", op.out);
  check_channels(op.name, op.in, op.out);
  check_mean_places(op, "rows", op.rows, op.in.h, op.out.h);
  check_mean_places(op, "columns", op.columns, op.in.w, op.out.w);
}

Reason why_not(const Bilinear& op, const isa::Geometry& g) {
  constexpr std::int64_t kMostWeight = 65535;
  if (auto why = bad_zero("input's", op.zero)) return why;
  const std::size_t count = mean_runs(op.rows, op.parts).size() * mean_runs(op.columns, op.parts).size();
  if (count > kMostRegions)
    return fmt::format("its rows and columns have weights of {} kinds, the device takes {} at most", count,
                       kMostRegions);
  for (const MeanRegion& region : regions_of(op)) {
    if (region.weight() > kMostWeight)
      return fmt::format("its weights add up to {}, the device divides by at most {}", region.weight(),
                         kMostWeight);
    if (auto why = misfit(space_of(region, g), cost_of(region, g), g)) return why;
  }
  return std::nullopt;
}

std::optional<double> estimate(const Bilinear& op, const isa::Geometry& g, const isa::Timing& timing,
                               const OnChip&) {
  double cycles = 0;
  for (const MeanRegion& region : regions_of(op)) {
    const auto one = total(least_work(space_of(region, g), cost_of(region, g), g, timing));
    if (!one) return std::nullopt;
    cycles += *one;
  }
  return cycles;
}

/// Each neighbour is a step, since its weight is an immediate.
Stages stages_of(const Bilinear& op, const MeanRegion& region, const std::string& suffix,
                 const isa::Geometry& g) {
  const Image out = region.out();
  const WindowInput input("in" + suffix, region.in(), out, region.window(), 0, g.block_out, false, g);
  std::vector<Stages::Compute> steps;
  for (std::int64_t row = 0; row < region.rows.weights.neighbours(); ++row) {
    for (std::int64_t column = 0; column < region.columns.weights.neighbours(); ++column) {
      const Weights &by_row = region.rows.weights, &by_column = region.columns.weights;
      const std::int64_t weight =
          (row == 0 ? by_row.first : by_row.second) * (column == 0 ? by_column.first : by_column.second);
      const auto term = [&](const Element& e) {
        const Value x = widened(input(e, row, column, e.block, e.n));
        const Value value = op.zero == 0 ? x : x + i32(-op.zero);
        return weight == 1 ? value : value * i32(weight);
      };
      const std::vector<Stages::Compute> before = steps;
      steps.push_back({entries(fmt::format("acc{}{}", steps.size(), suffix), out, g,
                               [&](const Element& e) {
                                 if (before.empty()) return term(e);
                                 return expr::at(before.back().tensor, e.indices(g.batch)) + term(e);
                               }),
                       weight == 1 ? "add" : "mac"});
    }
  }
  const Reciprocal divisor = reciprocal_of(static_cast<std::uint32_t>(region.weight()));
  const Tensor result = entries("result" + suffix, out, g, [&](const Element& e) {
    const Value mean(
        intrinsics::avg_value(expr::at(steps.back().tensor, e.indices(g.batch)).expr(), divisor));
    return clamped_int8(mean, op.zero, -128, 127);
  });
  return {{input},
          {},
          {},
          steps,
          {result, "avg"},
          {input.parameter(), way_out(result, out, false, g, {}, "out" + suffix)}};
}

/// View of the places of a region.
View view_of(const Image& whole, std::int64_t y, std::int64_t y_step, std::int64_t x, std::int64_t x_step,
             const isa::Geometry& g) {
  View part = view(whole, std::nullopt, y, x, 0, g);
  part.row *= y_step;
  part.pixel *= x_step;
  return part;
}

void lower(const Bilinear& op, Lowering& l) {
  const isa::Geometry& g = l.geometry();
  const std::vector<MeanRegion> regions = regions_of(op);
  std::vector<Stages> stages;
  std::vector<TileKnobs> knobs;
  std::vector<Tensor> outputs, args;
  std::vector<DeviceParam> params;
  std::vector<View> views;
  for (const MeanRegion& region : regions) {
    const auto& [rows, columns, channels] = region;
    stages.push_back(stages_of(op, region, fmt::format(".{}", stages.size()), g));
    knobs.push_back(l.tile_knobs(op.name, space_of(region, g), cost_of(region, g)));
    knobs.back().tile_h = std::min(knobs.back().tile_h, region.out().h);
    knobs.back().tile_w = std::min(knobs.back().tile_w, region.out().w);
    check_fits(op.name, space_of(region, g), cost_of(region, g), knobs.back(), g);
    outputs.push_back(stages.back().args.back());
    args.insert(args.end(), stages.back().args.begin(), stages.back().args.end());
    params.insert(params.end(), {{Role::Input, 0}, {Role::Output, 0}});
    views.push_back(
        view_of(op.in, rows.places.from, rows.view_step(), columns.places.from, columns.view_step(), g));
    views.push_back(
        view_of(op.out, rows.places.to, rows.places.to_step, columns.places.to, columns.places.to_step, g));
  }
  schedule::Schedule s(outputs);
  for (std::size_t i = 0; i < regions.size(); ++i) schedule_tiles(s, stages[i], knobs[i], g);
  const auto pixels = [](const MeanRegion& region) { return region.out().h * region.out().w; };
  const auto largest = std::ranges::max_element(regions, {}, pixels) - regions.begin();
  l.set_function(
      {"bilinear", std::move(s), args}, std::move(params),
      fmt::format("{}; {} regions", to_string(knobs[static_cast<std::size_t>(largest)]), regions.size()),
      views);
}

}  // namespace

template <>
const Operator<Bilinear>& row<Bilinear>() {
  static constexpr Operator<Bilinear> kRow{
      .kind = [](const Bilinear&) -> std::string_view { return "bilinear"; },
      .inputs = [](const Bilinear& op) { return std::vector{op.in}; },
      .output = [](const Bilinear& op) { return op.out; },
      .check = check,
      .why_not = why_not,
      .estimate = estimate,
      .lower = lower,
      .bound_to_dram = [](const Bilinear&, const isa::Geometry&) -> Reason {
        return "stores put its rows and columns between each other";
      },
  };
  return kRow;
}

namespace {

/// Places of each image, as those of one image below the others.
std::vector<Bilinear::Place> places_along(const graph::Tensor& tensor, std::int64_t images,
                                          std::int64_t extent) {
  const auto values = tensor.values<std::int32_t>();
  std::vector<Bilinear::Place> places;
  for (std::int64_t image = 0; image < images; ++image)
    for (std::size_t i = 0; i + 2 < values.size(); i += 3)
      places.push_back({image * extent + values[i], image * extent + values[i + 1], values[i + 2]});
  return places;
}

}  // namespace

LayerOrNot from_graph(const GraphNode& n, const graph::Bilinear& op) {
  if (!n.input(1).constant() || !n.input(2).constant()) return WhyNot{"its places are not constant"};
  Bilinear bilinear{n.name(), image_of(n.in()), image_of(n.out()), {}, {}, op.parts, op.zero_point};
  bilinear.rows = places_along(n.input(1), n.images(), n.in()[1]);
  bilinear.columns = places_along(n.input(2), 1, n.in()[2]);
  return Layer{std::move(bilinear), {n.node.inputs[0]}};
}

}  // namespace vdla::pipeline::device
