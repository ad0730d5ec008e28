// SPDX-License-Identifier: Apache-2.0
#include "tools/explore/halving.h"

#include <algorithm>
#include <array>
#include <limits>
#include <ranges>
#include <tuple>
#include <utility>

#include "support/error.h"

namespace vdla::explore {
namespace {

/// A round: the trials of a point are `trials` / `part`; `share` of a network's points take part.
struct Round {
  std::int64_t part;
  double share;
};
constexpr std::array kRounds{Round{kLeastHalved, 1}, Round{8, 0.5}, Round{1, 0.15}};

/// Points of a network, the best first.
std::vector<std::size_t> ranked(const Json& results, std::size_t network) {
  const Json& points = results.at("points");
  std::vector<std::size_t> open;
  for (const std::size_t p : best_points(results))
    if (points[p].at("network") == network) open.push_back(p);
  std::vector<std::tuple<bool, double, std::size_t>> order;
  for (const std::size_t p : open) {
    double rival = std::numeric_limits<double>::infinity();  // the least time with no more area
    for (const std::size_t q : open)
      if (q != p && cost_of(points[q]) <= cost_of(points[p]))
        rival = std::min(rival, points[q].at("ms").get<double>());
    order.emplace_back(!points[p].at("front").get<bool>(), points[p].at("ms").get<double>() / rival, p);
  }
  std::ranges::sort(order);
  std::vector<std::size_t> best;
  for (const auto& [beaten, time, p] : order) best.push_back(p);
  return best;
}

}  // namespace

Halved halve(const std::vector<SweepVariant>& variants, const std::vector<Network>& networks,
             std::int64_t trials, const RoundOptions& round, const ResultOptions& about) {
  VDLA_CHECK(trials >= kLeastHalved) << trials << " trials";
  Halved halved;
  for (const Round& step : kRounds) {
    HalvingRound made{trials / step.part, 0};
    const ExploreOptions options = round(made.trials);
    if (halved.points.empty()) {
      halved.points = run_sweep(variants, networks, options);
      for (const Point& point : halved.points) {
        const bool has_cost = point.result.at("status") == "ok";
        halved.trials.push_back(has_cost ? made.trials : 0);
        made.points += has_cost ? 1 : 0;
      }
    } else {
      const Json results = results_of(variants, networks, halved.points, {}, about);
      for (std::size_t n = 0; n < networks.size(); ++n) {
        std::vector<std::size_t> best = ranked(results, n);
        const auto has_cost = [&](std::size_t p) {
          return halved.points[p].network == n && halved.points[p].result.at("status") == "ok";
        };
        const auto points = std::views::iota(std::size_t{0}, halved.points.size());
        const double most = step.share * static_cast<double>(std::ranges::count_if(points, has_cost));
        best.resize(std::min(best.size(), std::max<std::size_t>(1, static_cast<std::size_t>(most))));
        std::vector<SweepVariant> chosen;
        for (const std::size_t p : best) chosen.push_back(variants[halved.points[p].variant]);
        const std::vector<Point> again = run_sweep(chosen, {networks[n]}, options);
        for (std::size_t i = 0; i < best.size(); ++i) {
          Point& point = halved.points[best[i]];
          if (again[i].result.at("status") != "ok") continue;  // as it was
          point.result = again[i].result;
          point.cached = again[i].cached;
          halved.trials[best[i]] = made.trials;
        }
        made.points += best.size();
      }
    }
    halved.rounds.push_back(made);
  }
  return halved;
}

}  // namespace vdla::explore
