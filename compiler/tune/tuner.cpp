// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/tuner.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "support/error.h"

namespace vdla::tune {
namespace {

using pipeline::KnobBook;
using pipeline::Point;

// Share of its estimate that a layer costs at least: where layers overlap, one can gain more than it is
// worth.
constexpr double kLeast = 0.05;

struct Tuning {
  Task task;
  std::unique_ptr<Search> search;
  /// Cost of the network above that of the task's layers: the network as it was, less what other tasks have
  /// gained since, less what the layers cost by the estimate. A search is told costs of layers.
  double rest = 0;
  double least = 0;                                          ///< least of those
  double promise = std::numeric_limits<double>::infinity();  ///< gain of the last batch
  std::int64_t batches = 0;
  bool ended = false;
  bool there = true;  ///< the network has it with the book as it is
  bool open() const { return there && !ended; }
};

/// Gain that another choice must have before layers are tuned. Less can turn into a loss, since tuned knobs
/// gain more with one plan than with the other.
constexpr double kAtOnce = 0.005;

/// A trial of the plan.
struct Tried {
  const Task* choice;
  Point point;
  KnobBook book;
};

KnobBook with(KnobBook book, const Task& task, const Point& point, std::int64_t trial) {
  book.put({task.task, task.context, task.space.text(point), trial});
  return book;
}

// Long: looks at the plan and searches of layers share one budget of trials and one best book.
class Tuner {
 public:
  Tuner(const std::string& target, const TasksOf& tasks, const Measure& measure, const TuneOptions& options)
      : tasks_(tasks), measure_(measure), options_(options) {
    result_.book.target = target;
    const auto first = measure_({result_.book}).at(0);
    VDLA_CHECK_USER(first) << "the network cannot be measured with default knobs";
    result_.first = result_.best = *first;
  }

  Tuned run() {
    look_for_tasks();
    choose(kAtOnce, share_of_left());
    while (left() > 0 && !stopped()) {
      // Equals go on by the fewest batches: where nothing gains any more, all go on by turns.
      const auto next = std::ranges::max_element(
          tunings_, {}, [](const Tuning& t) { return std::pair(t.open() ? t.promise : -1.0, -t.batches); });
      const bool none = next == tunings_.end() || !next->open();
      // Trials that are left go into the plan, too, once layers gain no more, and at the end.
      const bool last = left() <= std::min(static_cast<std::int64_t>(choices_.size()), share_of_all());
      const bool end = none || last;
      if (!choices_.empty() &&
          (result_.best < chosen_at_ ? end || next->promise <= 0 : end && !plan_is_settled())) {
        choose(0, end ? left() : share_of_left());
        continue;
      }
      if (none) break;
      const double gain = batch(*next);
      for (Tuning& other : tunings_)
        if (&other != &*next) other.rest -= gain;
    }
    return std::move(result_);
  }

 private:
  using Key = std::pair<std::string, std::string>;
  static Key key_of(const Task& task) { return {task.task, task.context}; }

  std::int64_t left() const { return options_.trials - result_.trials; }
  bool stopped() const { return options_.stop && options_.stop(); }
  std::int64_t share_of(std::int64_t trials) const {
    return static_cast<std::int64_t>(std::ceil(options_.plan_share * static_cast<double>(trials)));
  }
  std::int64_t share_of_left() const { return share_of(left()); }
  std::int64_t share_of_all() const { return share_of(options_.trials); }
  /// A look at the plan that may take all trials leaves nothing for later.
  bool looks_at_all() const { return options_.plan_share >= 1; }
  /// No choice is left that was never tried, or that gained when another one was taken.
  bool plan_is_settled() const {
    return looks_at_all() || std::ranges::none_of(choices_, [&](const Task& t) { return turn_of(t) < 2; });
  }
  /// Place in the order in which choices have their turns.
  int turn_of(const Task& choice) const {
    const Key key = key_of(choice);
    return waiting_.contains(key) ? 0 : tried_.contains(key) ? 2 : 1;
  }

  /// Looks for tasks of the network with the best book.
  void look_for_tasks() {
    for (Tuning& t : tunings_) t.there = false;
    choices_.clear();
    for (Task& task : tasks_(result_.book)) {
      if (task.plan) {
        choices_.push_back(std::move(task));
        continue;
      }
      const auto known =
          std::ranges::find_if(tunings_, [&](const Tuning& t) { return key_of(t.task) == key_of(task); });
      if (known != tunings_.end())
        known->there = true;
      else
        add(std::move(task));
    }
  }

  void add(Task task) {
    const std::uint64_t seed = options_.seed + tunings_.size();
    const std::vector<Drafted> drafted = draft(task.space, seed);
    if (drafted.empty()) return;
    const double layers = task.layers * drafted.front().estimate;
    Tuning& added = tunings_.emplace_back(std::move(task));
    const std::vector<Sample> known =
        options_.known ? options_.known(added.task.space) : std::vector<Sample>();
    added.search = options_.search->make(added.task.space, {seed, drafted, options_.model, known});
    added.rest = result_.best - layers;
    added.least = kLeast * layers;
  }

  /// A choice otherwise, and the knobs that are known of the layers that the network then has.
  KnobBook with_choice(const Task& choice, const Point& point, std::int64_t trial) const {
    const KnobBook book = with(result_.book, choice, point, trial);
    const std::vector<Task> tasks = tasks_(book);
    if (tasks.empty()) return book;
    KnobBook whole{book.target, {}, {}};
    for (const Task& task : tasks) {
      if (const pipeline::KnobRecord* record = book.find(task.task, task.context)) {
        whole.put(*record);
      } else if (const auto known = learnt_.find(task.task); known != learnt_.end() && !task.plan) {
        if (task.space.legal(known->second)) whole = with(std::move(whole), task, known->second, trial);
      }
    }
    return whole;
  }

  /// Choices otherwise, at most that many, by turns where not all have one.
  std::vector<Tried> others(const std::set<Key>& gaining, std::int64_t most) {
    if (!looks_at_all()) std::ranges::stable_sort(choices_, {}, [&](const Task& t) { return turn_of(t); });
    std::vector<Tried> tried;
    for (const Task& choice : choices_) {
      if (!gaining.contains(key_of(choice))) continue;
      for (Point p{1}; p[0] <= choice.space.knobs()[0].values; ++p[0])
        if (choice.space.legal(p) && static_cast<std::int64_t>(tried.size()) < most)
          tried.push_back({&choice, p, {}});
    }
    return tried;
  }

  /// A batch at a time, with its books, until the search is to stop.
  std::vector<std::optional<double>> costs_of(std::vector<Tried>& tried) {
    std::vector<std::optional<double>> costs;
    const auto batch = static_cast<std::size_t>(options_.batch);
    while (costs.size() < tried.size() && (costs.empty() || !stopped())) {
      std::vector<KnobBook> books;
      for (std::size_t i = costs.size(); i < tried.size() && books.size() < batch; ++i) {
        Tried& t = tried[i];
        t.book = with_choice(*t.choice, t.point, result_.trials + static_cast<std::int64_t>(i) + 1);
        tried_.insert(key_of(*t.choice));
        books.push_back(t.book);
      }
      for (const auto& cost : measure_(books)) costs.push_back(cost);
    }
    return costs;
  }

  /// Tries choices of the plan otherwise, and takes the best one, until none gains more than this share, or
  /// that many trials are done.
  void choose(double share, std::int64_t most) {
    std::set<Key> gaining;
    for (const Task& choice : choices_) gaining.insert(key_of(choice));
    const std::int64_t end = result_.trials + std::min(most, left());
    while (!gaining.empty() && result_.trials < end && !stopped()) {
      std::vector<Tried> tried = others(gaining, end - result_.trials);
      const auto costs = costs_of(tried);
      const double enough = (1 - share) * result_.best;
      waiting_.clear();
      Key taken;
      for (std::size_t i = 0; i < costs.size(); ++i) {
        const Key key = key_of(*tried[i].choice);
        if (costs[i] && *costs[i] < enough) waiting_.insert(key);
        if (tell(*tried[i].choice, tried[i].point, costs[i], tried[i].book, enough)) taken = key;
      }
      gaining = waiting_;
      waiting_.erase(taken);
      if (!gaining.empty()) look_for_tasks();
    }
    chosen_at_ = result_.best;
  }

  /// Tells of a trial; whether it is the best one so far, and costs less than `enough`.
  bool tell(const Task& task, const Point& point, std::optional<double> cost, const KnobBook& book,
            double enough) {
    ++result_.trials;
    const bool better = cost && *cost < std::min(enough, result_.best);
    if (better) {
      result_.best = *cost;
      result_.book = book;
    }
    if (options_.progress)
      options_.progress({result_.trials, result_.first, result_.best, &task, &point, cost, better},
                        result_.book);
    return better;
  }

  /// Runs a batch; returns what the network costs less after it.
  double batch(Tuning& tuning) {
    const double before = result_.best;
    const std::vector<Point> points =
        tuning.search->propose(static_cast<std::size_t>(std::min(options_.batch, left())));
    std::vector<KnobBook> books;
    for (const Point& point : points)
      books.push_back(with(result_.book, tuning.task, point,
                           result_.trials + static_cast<std::int64_t>(books.size()) + 1));
    const auto costs = measure_(books);
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (tell(tuning.task, points[i], costs[i], books[i], result_.best))
        learnt_[tuning.task.task] = points[i];
      tuning.search->told(points[i], costs[i] ? std::optional(std::max(*costs[i] - tuning.rest, tuning.least))
                                              : std::nullopt);
    }
    ++tuning.batches;
    tuning.ended = points.empty();
    tuning.promise = before - result_.best;
    return tuning.promise;
  }

  const TasksOf& tasks_;
  const Measure& measure_;
  const TuneOptions& options_;
  std::deque<Tuning> tunings_;  ///< searches keep references to spaces
  std::vector<Task> choices_;
  std::set<Key> tried_;                  ///< trials of those with another choice
  std::set<Key> waiting_;                ///< gained, but another one was taken, and no trial was left
  std::map<std::string, Point> learnt_;  ///< the last points that gained, by task
  double chosen_at_ = 0;                 ///< cost when the plan was last looked at
  Tuned result_;
};

}  // namespace

Tuned tune(const std::string& target, const TasksOf& tasks, const Measure& measure,
           const TuneOptions& options) {
  return Tuner(target, tasks, measure, options).run();
}

}  // namespace vdla::tune
