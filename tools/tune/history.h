// SPDX-License-Identifier: Apache-2.0
// Record of a search, for its page: each trial, what each task gained, and which of its knobs mattered.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "compiler/tune/tuner.h"
#include "tools/explore/json.h"

namespace vdla::tune {

class History {
 public:
  /// Takes these tasks, and those that trials are of besides.
  explicit History(std::vector<Task> tasks) : tasks_(std::move(tasks)), of_(tasks_.size()) {}

  void add(const Progress& progress);

  /// [{"trial", "task", "cycles" or null, "best"}], "task" an index of tasks().
  explore::Json trials() const;
  /// [{"task", "context", "layers", "points", "trials", "gain", "knobs", "mattered": [{"knob", "share"}]}],
  /// in the order of the tasks: cycles that the task's trials gained, its knobs in `book` (null: default
  /// ones), and the share of the variance of its costs that a knob's value explains, the largest first. What
  /// other tasks gained meanwhile is left out of the costs.
  explore::Json tasks(const pipeline::KnobBook& book) const;

 private:
  struct Costed {
    pipeline::Point point;
    double cost;
  };
  struct OfTask {
    std::int64_t trials = 0;
    double gain = 0;
    std::vector<Costed> costs;
  };

  std::size_t index_of(const Task& task);

  std::vector<Task> tasks_;
  std::vector<OfTask> of_;
  explore::Json trials_ = explore::Json::array();
  double best_ = 0;
};

}  // namespace vdla::tune
