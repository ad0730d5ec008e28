// SPDX-License-Identifier: Apache-2.0
// Two programs that compute the same, timed in turns, so that what disturbs the machine disturbs both.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace vdla::tune {

/// Seconds that `run` takes; `what` says by which knobs it is: "by default", or a book's.
using Stopwatch = std::function<double(const std::function<void()>& run, const std::string& what)>;
/// Seconds by the steady clock.
double seconds_of(const std::function<void()>& run, const std::string& what);

struct Contender {
  std::string what;  ///< for the stopwatch
  std::function<void()> run;
};

/// The median of the ratios of turns, and the 95 % bootstrap interval of that median.
struct Ratio {
  double median = 0, low = 0, high = 0;
};
Ratio ratio_of(std::span<const double> first, std::span<const double> second);

struct RaceResult {
  Ratio ratio;                                ///< the candidate's time over the incumbent's
  double candidate_ns = 0, incumbent_ns = 0;  ///< medians of one run
  std::size_t turns = 0;
};

/// Races until it is known which is faster, or for `most` turns; a candidate that is slower by half in the
/// first ones is given up at once. With `least` = `most` all turns are run.
RaceResult race(const Contender& candidate, const Contender& incumbent, std::size_t least, std::size_t most,
                const Stopwatch& stopwatch);

/// A turn with another clock than this machine's: seconds of one run.
using Turn = std::function<double()>;
/// Races turns that take their own time.
RaceResult race(const Turn& candidate, const Turn& incumbent, std::size_t least, std::size_t most);

}  // namespace vdla::tune
