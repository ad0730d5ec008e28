// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/tuner.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "support/error.h"

namespace vdla::tune {
namespace {

using pipeline::KnobBook;
using pipeline::Point;

constexpr std::size_t kBatch = 8;  // trials of a task before another one may be worth more
// Share of its estimate that a layer costs at least: where layers overlap, one can gain more than it is
// worth.
constexpr double kLeast = 0.05;

struct Tuning {
  const Task* task;
  std::unique_ptr<Search> search;
  /// What the cost of the network is above that of the task's layers: the network as it was, less what other
  /// tasks have gained since, less what the layers cost by the estimate. A search is told costs of layers.
  double rest = 0;
  double least = 0;                                          ///< of those
  double promise = std::numeric_limits<double>::infinity();  ///< gain of the last batch
  std::int64_t batches = 0;
  bool ended = false;
};

KnobBook with(KnobBook book, const Task& task, const Point& point, std::int64_t trial) {
  book.put({task.task, task.context, task.space.text(point), trial});
  return book;
}

class Tuner {
 public:
  Tuner(const std::string& target, const Measure& measure, const TuneOptions& options)
      : measure_(measure), options_(options) {
    result_.book.target = target;
    const auto first = measure_({result_.book}).at(0);
    VDLA_CHECK_USER(first) << "the network cannot be measured with default knobs";
    result_.first = result_.best = *first;
  }

  Tuned run(const std::vector<Task>& tasks) {
    std::vector<Tuning> tunings;
    for (const Task& task : tasks) {
      const std::uint64_t seed = options_.seed + tunings.size();
      const std::vector<Drafted> drafted = draft(task.space, seed);
      if (drafted.empty()) continue;
      const double layers = task.layers * drafted.front().estimate;
      tunings.push_back({&task, options_.search->make(task.space, {seed, drafted, options_.model}),
                         result_.first - layers, kLeast * layers});
    }
    while (result_.trials < options_.trials && !(options_.stop && options_.stop())) {
      // Of equals the one with the fewest batches: where nothing gains any more, all go on by turns.
      const auto next = std::ranges::max_element(
          tunings, {}, [](const Tuning& t) { return std::pair(t.ended ? -1.0 : t.promise, -t.batches); });
      if (next == tunings.end() || next->ended) break;
      const double gain = batch(*next);
      for (Tuning& other : tunings)
        if (&other != &*next) other.rest -= gain;
    }
    return std::move(result_);
  }

 private:
  /// What the network costs less after it.
  double batch(Tuning& tuning) {
    const double before = result_.best;
    const auto left = static_cast<std::size_t>(options_.trials - result_.trials);
    const std::vector<Point> points = tuning.search->propose(std::min(kBatch, left));
    std::vector<KnobBook> books;
    for (const Point& point : points)
      books.push_back(with(result_.book, *tuning.task, point,
                           result_.trials + static_cast<std::int64_t>(books.size()) + 1));
    const auto costs = measure_(books);
    for (std::size_t i = 0; i < points.size(); ++i) {
      ++result_.trials;
      const bool better = costs[i] && *costs[i] < result_.best;
      if (better) {
        result_.best = *costs[i];
        result_.book = books[i];
      }
      tuning.search->told(points[i], costs[i] ? std::optional(std::max(*costs[i] - tuning.rest, tuning.least))
                                              : std::nullopt);
      if (options_.progress)
        options_.progress(
            {result_.trials, result_.first, result_.best, tuning.task, &points[i], costs[i], better},
            result_.book);
    }
    ++tuning.batches;
    tuning.ended = points.empty();
    tuning.promise = before - result_.best;
    return tuning.promise;
  }

  const Measure& measure_;
  const TuneOptions& options_;
  Tuned result_;
};

}  // namespace

Tuned tune(const std::string& target, const std::vector<Task>& tasks, const Measure& measure,
           const TuneOptions& options) {
  return Tuner(target, measure, options).run(tasks);
}

}  // namespace vdla::tune
