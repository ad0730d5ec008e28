// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/history.h"

#include <algorithm>
#include <map>

namespace vdla::tune {
namespace {

using explore::Json;

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

double squares_about(const std::vector<double>& values, double about) {
  double sum = 0;
  for (const double v : values) sum += (v - about) * (v - about);
  return sum;
}

}  // namespace

void History::add(const Progress& p) {
  if (trials_.empty()) best_ = p.first;
  const std::size_t index = index_of(*p.task);
  OfTask& task = of_.at(index);
  // Other tasks made the network faster meanwhile: that is no part of what this task's knobs cost.
  const double others = p.first - best_ - task.gain;
  if (p.cost) task.costs.push_back({*p.point, *p.cost + others});
  ++task.trials;
  task.gain += best_ - p.best;
  best_ = p.best;
  trials_.push_back(
      {{"trial", p.trials}, {"task", index}, {"cycles", p.cost ? Json(*p.cost) : Json()}, {"best", p.best}});
}

std::size_t History::index_of(const Task& task) {
  const auto known = std::ranges::find_if(
      tasks_, [&](const Task& t) { return t.task == task.task && t.context == task.context; });
  const auto index = static_cast<std::size_t>(known - tasks_.begin());
  if (known == tasks_.end()) {
    tasks_.push_back(task);
    of_.emplace_back();
  }
  return index;
}

Json History::trials() const { return trials_; }

Json History::tasks(const pipeline::KnobBook& book) const {
  constexpr std::size_t kEnough = 8;  // costs that say something of knobs
  Json all = Json::array();
  for (std::size_t t = 0; t < tasks_.size(); ++t) {
    const Task& task = tasks_[t];
    const OfTask& of = of_[t];
    const pipeline::KnobRecord* record = book.find(task.task, task.context);
    std::vector<std::pair<double, std::string>> shares;
    std::vector<double> costs;
    for (const Costed& c : of.costs) costs.push_back(c.cost);
    const double mean = costs.empty() ? 0 : mean_of(costs);
    const double variance = squares_about(costs, mean);
    for (std::size_t k = 0; k < task.space.knobs().size() && costs.size() >= kEnough && variance > 0; ++k) {
      std::map<std::int64_t, std::vector<double>> by_value;
      for (const Costed& c : of.costs) by_value[c.point[k]].push_back(c.cost);
      double left = 0;  // within the values
      for (const auto& [value, group] : by_value) left += squares_about(group, mean_of(group));
      if (by_value.size() > 1) shares.emplace_back(1 - left / variance, task.space.knobs()[k].name);
    }
    std::ranges::sort(shares, std::greater<>());
    Json mattered = Json::array();
    for (const auto& [share, knob] : shares) mattered.push_back({{"knob", knob}, {"share", share}});
    all.push_back({{"task", task.task},
                   {"context", task.context},
                   {"layers", task.layers},
                   {"points", task.space.points()},
                   {"trials", of.trials},
                   {"gain", of.gain},
                   {"knobs", record ? Json(record->knobs) : Json()},
                   {"mattered", std::move(mattered)}});
  }
  return all;
}

}  // namespace vdla::tune
