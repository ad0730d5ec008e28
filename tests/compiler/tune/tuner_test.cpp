// SPDX-License-Identifier: Apache-2.0
// The tuner on networks whose cost is a sum of known ones.
#include "compiler/tune/tuner.h"

#include <gmock/gmock.h>

#include <map>
#include <set>

#include "support/error.h"
#include "tests/compiler/tune/toy_space.h"

namespace vdla::tune {
namespace {

using pipeline::KnobBook;
using pipeline::KnobRecord;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr double kDefault = 300;  // of each task

class Tune : public ::testing::Test {
 protected:
  Tune() {
    for (const char* name : {"one", "two", "three"}) tasks_.push_back({name, "alone", toy_space()});
    options_.trials = 200;
  }

  double cost(const KnobBook& book) const {
    double sum = 0;
    for (const Task& task : tasks_) {
      const KnobRecord* record = book.find(task.task, task.context);
      sum += record ? weight(task) * toy_cost(task.space.parse(record->knobs)) : weight(task) * kDefault;
    }
    return sum;
  }
  static double weight(const Task& task) { return task.task == "two" ? 10 : 1; }

  TasksOf tasks() const {
    return [this](const KnobBook&) { return tasks_; };
  }

  Measure measure() {
    return [this](const std::vector<KnobBook>& books) {
      std::vector<std::optional<double>> costs;
      for (const KnobBook& book : books) costs.emplace_back(cost(book));
      measured_ += books.size();
      return costs;
    };
  }

  std::vector<Task> tasks_;
  TuneOptions options_;
  std::size_t measured_ = 0;
};

TEST_F(Tune, TheBookCostsWhatIsSaidAndHoldsEachTaskOnce) {
  const Tuned tuned = tune("target", tasks(), measure(), options_);
  EXPECT_EQ(tuned.book.target, "target");
  EXPECT_EQ(tuned.first, 12 * kDefault);
  EXPECT_EQ(tuned.best, cost(tuned.book));
  EXPECT_LT(tuned.best, 12 * 101);
  EXPECT_EQ(tuned.book.records.size(), 3u);
  EXPECT_EQ(tuned.trials, 200);
  EXPECT_EQ(measured_, 201u);
}

TEST_F(Tune, WhatDoesNotHelpIsNotInTheBook) {
  const Measure constant = [](const std::vector<KnobBook>& books) {
    return std::vector<std::optional<double>>(books.size(), 1000.0);
  };
  const Tuned tuned = tune("target", tasks(), constant, options_);
  EXPECT_TRUE(tuned.book.records.empty());
  EXPECT_EQ(tuned.best, 1000);
}

TEST_F(Tune, TrialsWithoutACostAreNoEnd) {
  int calls = 0;
  const Measure half = [&](const std::vector<KnobBook>& books) {
    std::vector<std::optional<double>> costs;
    for (const KnobBook& book : books)
      costs.push_back(++calls % 2 == 0 ? std::nullopt : std::optional(cost(book)));
    return costs;
  };
  const Tuned tuned = tune("target", tasks(), half, options_);
  EXPECT_EQ(tuned.trials, 200);
  EXPECT_LT(tuned.best, 12 * 120);
}

TEST_F(Tune, TrialsGoWhereTheyGain) {
  std::map<std::string, int> trials;
  options_.progress = [&](const Progress& p, const KnobBook&) { ++trials[p.task->task]; };
  tune("target", tasks(), measure(), options_);
  EXPECT_GE(trials["one"], 8) << "each task has a batch at least";
  EXPECT_GE(trials["three"], 8);
  EXPECT_GT(trials["two"], 0);
}

TEST_F(Tune, WhereNothingGainsAllTasksGoOnByTurns) {
  // The first one had all that was left.
  std::map<std::string, int> trials;
  options_.trials = 240;
  options_.progress = [&](const Progress& p, const KnobBook&) { ++trials[p.task->task]; };
  const Measure constant = [](const std::vector<KnobBook>& books) {
    return std::vector<std::optional<double>>(books.size(), 1000.0);
  };
  tune("target", tasks(), constant, options_);
  for (const Task& task : tasks_) EXPECT_EQ(trials[task.task], 80) << task.task;
}

TEST_F(Tune, ProgressTellsOfEachTrialWithTheBestBook) {
  std::int64_t told = 0;
  double best = 12 * kDefault;
  options_.progress = [&](const Progress& p, const KnobBook& book) {
    EXPECT_EQ(p.trials, ++told);
    EXPECT_EQ(p.best, cost(book));
    EXPECT_EQ(p.better, p.best < best);
    best = p.best;
  };
  tune("target", tasks(), measure(), options_);
  EXPECT_EQ(told, 200);
}

/// A network whose task is "one" or, where the plan says so, "two".
class TuneWithAPlan : public Tune {
 protected:
  static bool chosen(const KnobBook& book) { return book.find("plan", "graph") != nullptr; }

  static Task plan(bool taken) {
    const std::int64_t other = taken ? 1 : 2;
    return {"plan", "graph",
            pipeline::KnobSpace(
                {{"way", 2, {"no", "yes"}}},
                {[other](const pipeline::Point& p) { return p[0] == other; },
                 [](const pipeline::Point&) { return 1.0; }, [](pipeline::Point p) { return p; }}),
            1, true};
  }

  Tuned run(double with_the_other_plan) {
    const TasksOf tasks = [&](const KnobBook& book) {
      return std::vector<Task>{plan(chosen(book)), tasks_[chosen(book) ? 1 : 0]};
    };
    const Measure measure = [&](const std::vector<KnobBook>& books) {
      std::vector<std::optional<double>> costs;
      for (const KnobBook& book : books) {
        const Task& task = tasks_[chosen(book) ? 1 : 0];
        const KnobRecord* record = book.find(task.task, task.context);
        costs.emplace_back((chosen(book) ? with_the_other_plan : 1000) +
                           (record ? toy_cost(task.space.parse(record->knobs)) : kDefault));
      }
      return costs;
    };
    options_.progress = [&](const Progress& p, const KnobBook&) { ++trials_[p.task->task]; };
    return tune("target", tasks, measure, options_);
  }

  std::map<std::string, int> trials_;
};

TEST_F(TuneWithAPlan, GoesOnWithTheTasksOfThePlanThatGained) {
  const Tuned tuned = run(900);
  EXPECT_TRUE(chosen(tuned.book));
  EXPECT_EQ(trials_["one"], 0) << "choices come first";
  ASSERT_EQ(tuned.book.records.size(), 2u);
  EXPECT_NE(tuned.book.find("two", "alone"), nullptr);
  EXPECT_LT(tuned.best, 900 + 101);
}

TEST_F(TuneWithAPlan, TakesAnotherPlanWithTheKnobsThatAreKnown) {
  // Both plans have the same task in another context. The other one gains only with tuned knobs, which are
  // those of the first.
  const auto task = [&](bool other) {
    Task t = tasks_[0];
    t.context = other ? "there" : "here";
    return t;
  };
  const TasksOf tasks = [&](const KnobBook& book) {
    return std::vector<Task>{plan(chosen(book)), task(chosen(book))};
  };
  const Measure measure = [&](const std::vector<KnobBook>& books) {
    std::vector<std::optional<double>> costs;
    for (const KnobBook& book : books) {
      const Task t = task(chosen(book));
      const KnobRecord* record = book.find(t.task, t.context);
      const double knobs = record ? toy_cost(t.space.parse(record->knobs)) : kDefault;
      costs.emplace_back(chosen(book) ? 800 + 2 * knobs : 1000 + knobs);
    }
    return costs;
  };
  const Tuned tuned = tune("target", tasks, measure, options_);
  EXPECT_TRUE(chosen(tuned.book));
  EXPECT_EQ(tuned.book.find("one", "here"), nullptr) << "the network has no such layer any more";
  EXPECT_LT(tuned.best, 800 + 2 * 105);
}

TEST_F(TuneWithAPlan, GoesOnWhereChoicesCannotBeHadTogether) {
  const TasksOf tasks = [&](const KnobBook& book) {
    return chosen(book) ? std::vector<Task>() : std::vector<Task>{plan(false), tasks_[0]};
  };
  int tried = 0;
  const Measure measure = [&](const std::vector<KnobBook>& books) {
    std::vector<std::optional<double>> costs;
    for (const KnobBook& book : books) {
      const KnobRecord* record = book.find(tasks_[0].task, tasks_[0].context);
      tried += chosen(book);
      costs.push_back(
          chosen(book)
              ? std::nullopt
              : std::optional(1000 + (record ? toy_cost(tasks_[0].space.parse(record->knobs)) : kDefault)));
    }
    return costs;
  };
  const Tuned tuned = tune("target", tasks, measure, options_);
  EXPECT_GT(tried, 0) << "the trial says that it has no cost";
  EXPECT_FALSE(chosen(tuned.book));
  EXPECT_LT(tuned.best, 1000 + 101);
}

TEST_F(TuneWithAPlan, APlanThatDoesNotHelpIsTriedSeldomAndNotTaken) {
  const Tuned tuned = run(1100);
  EXPECT_FALSE(chosen(tuned.book));
  EXPECT_GT(trials_["plan"], 1) << "with tuned layers, too";
  EXPECT_LE(trials_["plan"], 10) << "only where something has gained since";
  EXPECT_EQ(trials_["two"], 0);
  EXPECT_LT(tuned.best, 1000 + 101);
}

/// Choices of which one in five gains, and a layer.
TEST_F(Tune, LooksAtThePlanTakeNoMoreThanTheirShareAndTryAllInTheEnd) {
  constexpr int kChoices = 20;
  const auto name = [](int i) { return "choice " + std::to_string(i); };
  const TasksOf tasks = [&](const KnobBook& book) {
    std::vector<Task> all{tasks_[0]};
    for (int i = 0; i < kChoices; ++i) {
      const std::int64_t other = book.find(name(i), "graph") ? 1 : 2;
      all.push_back({name(i), "graph",
                     pipeline::KnobSpace(
                         {{"way", 2, {"no", "yes"}}},
                         {[other](const pipeline::Point& p) { return p[0] == other; },
                          [](const pipeline::Point&) { return 1.0; }, [](pipeline::Point p) { return p; }}),
                     1, true});
    }
    return all;
  };
  const Measure measure = [&](const std::vector<KnobBook>& books) {
    EXPECT_LE(books.size(), 8u) << "a batch";
    std::vector<std::optional<double>> costs;
    for (const KnobBook& book : books) {
      const KnobRecord* record = book.find("one", "alone");
      double sum = 1000 + (record ? toy_cost(tasks_[0].space.parse(record->knobs)) : kDefault);
      for (int i = 0; i < kChoices; ++i)
        if (book.find(name(i), "graph")) sum += i % 5 == 4 ? -20 : 5;
      costs.emplace_back(sum);
    }
    return costs;
  };
  int before_layers = 0;
  bool layers = false;
  std::set<std::string> choices;
  options_.plan_share = 0.05;
  options_.progress = [&](const Progress& p, const KnobBook&) {
    layers = layers || !p.task->plan;
    before_layers += layers ? 0 : 1;
    if (p.task->plan) choices.insert(p.task->task);
  };
  const Tuned tuned = tune("target", tasks, measure, options_);
  EXPECT_EQ(before_layers, 10) << "a twentieth of 200";
  EXPECT_EQ(choices.size(), static_cast<std::size_t>(kChoices));
  EXPECT_NE(tuned.book.find(name(4), "graph"), nullptr);
  EXPECT_NE(tuned.book.find(name(9), "graph"), nullptr) << "won beside another one, which was taken";
  EXPECT_LT(tuned.best, 1000 - 40 + 105);
}

TEST_F(Tune, StopsWhenItIsTold) {
  int asked = 0;
  options_.stop = [&] { return ++asked > 3; };
  EXPECT_EQ(tune("target", tasks(), measure(), options_).trials, 24) << "three batches";
}

TEST_F(Tune, ANetworkWithoutACostIsRefused) {
  const Measure none = [](const std::vector<KnobBook>& books) {
    return std::vector<std::optional<double>>(books.size());
  };
  EXPECT_THAT([&] { tune("target", tasks(), none, options_); },
              ThrowsMessage<UserError>(HasSubstr("cannot be measured with default knobs")));
}

}  // namespace
}  // namespace vdla::tune
