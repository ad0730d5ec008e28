// SPDX-License-Identifier: Apache-2.0
// Finds knobs for the layers of a network by trying them: each trial is the cost of the whole network with a
// book. What measures is a callable; the tuner knows no device.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/knobs/book.h"
#include "compiler/tune/search.h"

namespace vdla::tune {

/// Layers of a network that share knobs (one task in one context), or a choice of the graph's plan.
struct Task {
  std::string task, context;
  pipeline::KnobSpace space;
  int layers = 1;     ///< layers that share it
  bool plan = false;  ///< a choice: with another one the network has other tasks
};

/// Tasks of the network with a book. A choice's space has what the book and the compiler did not choose. None
/// where the book's choices cannot be had together: its trial has no cost.
using TasksOf = std::function<std::vector<Task>(const pipeline::KnobBook&)>;

/// For each book the cost of the network with it, less is better; nothing where it cannot be built or does
/// not end.
using Measure = std::function<std::vector<std::optional<double>>(const std::vector<pipeline::KnobBook>&)>;

struct Progress {
  std::int64_t trials = 0;
  double first = 0, best = 0;              ///< cost without a book, and of the best one so far
  const Task* task = nullptr;              ///< task of the last trial
  const pipeline::Point* point = nullptr;  ///< point that it tried
  std::optional<double> cost;              ///< cost of that trial
  bool better = false;                     ///< it was the best so far
};

inline constexpr std::int64_t kBatch = 8;

struct TuneOptions {
  std::int64_t trials = 0;
  std::int64_t batch = kBatch;  ///< trials of a task before another one may be worth more
  /// Share of the trials that are left that a look at the plan may take while layers have some to gain.
  double plan_share = 1;
  std::uint64_t seed = 1;
  const SearchKind* search = &searches().front();
  const ModelKind* model = &models().front();  ///< model, where the search asks one
  /// Measurements from elsewhere of spaces like this one; none: nothing.
  std::function<std::vector<Sample>(const pipeline::KnobSpace&)> known;
  std::function<bool()> stop;  ///< asked before each batch; none: never
  std::function<void(const Progress&, const pipeline::KnobBook&)>
      progress;  ///< called after each trial, with the best book; none: not called
};

struct Tuned {
  pipeline::KnobBook book;
  double first = 0, best = 0;
  std::int64_t trials = 0;
};

/// First each choice of the plan is tried otherwise, and the best one is taken, as long as one gains (those
/// that find no trial within options.plan_share are the first ones of the next look). Then a
/// search for each layer's task; a batch of trials at a time goes to the task whose last batch gained most,
/// of equals to the one that had the fewest. Where layers gain no more, and with the last trials, choices are
/// tried again, with the knobs that are known by then. The result is never worse than the network
/// without a book: what did not help is not in it. The same seed gives the same trials where the costs are
/// the same. UserError where the network cannot be measured without a book.
Tuned tune(const std::string& target, const TasksOf& tasks, const Measure& measure,
           const TuneOptions& options);

}  // namespace vdla::tune
