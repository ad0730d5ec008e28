// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/race.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <random>

#include "support/error.h"

namespace vdla::tune {
namespace {

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// Shorter turns are repeated, so that the clock and its call are nothing beside them.
constexpr double kTurnSeconds = 200e-6;
constexpr double kMostRepeats = 1000;

}  // namespace

double seconds_of(const std::function<void()>& run, const std::string&) {
  const auto begin = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Ratio ratio_of(std::span<const double> first, std::span<const double> second) {
  VDLA_CHECK(!first.empty() && first.size() == second.size())
      << first.size() << " and " << second.size() << " times";
  constexpr int kResamples = 1000;
  constexpr double kTail = 0.025;
  constexpr std::uint64_t kSeed = 11;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < first.size(); ++i) ratios.push_back(first[i] / second[i]);
  std::mt19937_64 random(kSeed);
  std::uniform_int_distribution<std::size_t> any(0, ratios.size() - 1);
  std::vector<double> medians, drawn(ratios.size());
  for (int i = 0; i < kResamples; ++i) {
    for (double& d : drawn) d = ratios[any(random)];
    medians.push_back(median_of(drawn));
  }
  std::ranges::sort(medians);
  const auto at = [&](double share) { return medians[static_cast<std::size_t>(share * (kResamples - 1))]; };
  return {median_of(ratios), at(kTail), at(1 - kTail)};
}

RaceResult race(const Turn& candidate, const Turn& incumbent, std::size_t least, std::size_t most) {
  constexpr std::size_t kFirst = 3;
  constexpr double kMuchSlower = 1.5;
  std::vector<double> first, second;
  std::mt19937_64 random(least);
  RaceResult result;
  while (first.size() < most) {
    const bool candidate_first = (random() & 1) != 0;
    const double early = candidate_first ? candidate() : incumbent(),
                 late = candidate_first ? incumbent() : candidate();
    first.push_back(candidate_first ? early : late);
    second.push_back(candidate_first ? late : early);
    const bool is_much_slower =
        *std::ranges::min_element(first) > kMuchSlower * *std::ranges::max_element(second);
    if (first.size() == kFirst && least < most && is_much_slower) break;
    if (first.size() < least) continue;
    result.ratio = ratio_of(first, second);
    if (least < most && (result.ratio.low > 1 || result.ratio.high < 1)) break;
  }
  result.ratio = ratio_of(first, second);
  result.candidate_ns = 1e9 * median_of(first);
  result.incumbent_ns = 1e9 * median_of(second);
  result.turns = first.size();
  return result;
}

RaceResult race(const Contender& candidate, const Contender& incumbent, std::size_t least, std::size_t most,
                const Stopwatch& stopwatch) {
  // The first runs fill caches, and tell how often a turn repeats.
  stopwatch(candidate.run, candidate.what);
  const double once = stopwatch(incumbent.run, incumbent.what);
  const auto repeats =
      static_cast<int>(std::clamp(std::ceil(kTurnSeconds / std::max(once, 1e-9)), 1.0, kMostRepeats));
  const auto turn_of = [&](const Contender& c) -> Turn {
    return [&c, &stopwatch, repeats] {
      const auto run = [&] {
        for (int i = 0; i < repeats; ++i) c.run();
      };
      return stopwatch(run, c.what) / repeats;
    };
  };
  return race(turn_of(candidate), turn_of(incumbent), least, most);
}

}  // namespace vdla::tune
