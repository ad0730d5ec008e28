// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/layer_tuning.h"

#include <algorithm>
#include <utility>

#include "support/error.h"

namespace vdla::tune {
namespace {

using pipeline::KnobBook;

/// Part of its estimate that a network costs at least: what functions without knobs gain is taken off, too.
constexpr double kLeast = 0.05;

/// Layers gain most, and a network has a place for fusion behind most of its nodes.
constexpr double kPlanShare = 0.25;

}  // namespace

LayerTuning::LayerTuning(LayerTrials trials, const Options& options)
    : trials_(std::move(trials), options), incumbent_{machine().target, {}, {}} {
  tasks_ = machine().tasks_with(incumbent_);
  if (std::ranges::all_of(tasks_, &Task::plan)) tasks_.clear();
  meet(tasks_);
}

void LayerTuning::meet(const std::vector<Task>& tasks) {
  for (const Task& task : tasks) met_.insert_or_assign(key_of(task), task);
}

double& LayerTuning::layer_ns(const Task& task, const Outcome& outcome) {
  return layer_ns_.try_emplace(key_of(task), outcome.at("incumbent_ns").get<double>()).first->second;
}

double LayerTuning::cost_with(const Trial& trial, const Outcome& outcome, double ratio) {
  double ns = 0;
  if (!trial.task.plan)
    ns = trial.task.layers * layer_ns(trial.task, outcome);
  else
    ns = outcome.at("raced") == "network" ? cost_ : outcome.at("incumbent_ns").get<double>();
  return std::max(cost_ + ns * (ratio - 1), kLeast * cost_);
}

std::optional<double> LayerTuning::cost_by_default(std::uint64_t seed) {
  cost_ = 0;
  for (const Task& task : tasks_) {
    if (task.plan) continue;
    const Outcome outcome = trials_.outcome_of({task, incumbent_, incumbent_}, seed);
    VDLA_CHECK_USER(ended_well(outcome))
        << task.task << " cannot be measured with default knobs: " << outcome.at("reason").get<std::string>();
    cost_ += task.layers * layer_ns(task, outcome);
  }
  return cost_;
}

/// The best of the points of a layer has the luckiest times: it wins where it does so again. Choices do not
/// stand in each other's place, so each of them may.
std::vector<std::size_t> LayerTuning::for_duels(const std::vector<Trial>& trials,
                                                const std::vector<Outcome>& outcomes) {
  std::vector<std::size_t> faster;
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    if (is_faster(outcomes[i])) faster.push_back(i);
  if (faster.empty() || trials[faster[0]].task.plan) return faster;
  return {*std::ranges::min_element(faster, {},
                                    [&](std::size_t i) { return outcomes[i].at("ratio").get<double>(); })};
}

std::vector<std::optional<double>> LayerTuning::costs(const std::vector<KnobBook>& books,
                                                      std::uint64_t seed) {
  if (books.size() == 1 && books[0].records.empty()) return {cost_by_default(seed)};
  std::vector<Trial> trials;
  std::vector<Outcome> all;
  for (const KnobBook& book : books) {
    trials.push_back({met_.at({latest(book).task, latest(book).context}), book, incumbent_});
    // One after the other: what runs beside a trial would change its times.
    all.push_back(trials_.outcome_of(trials.back(), seed));
  }
  std::vector<bool> won(all.size());
  for (const std::size_t i : for_duels(trials, all)) {
    trials[i].duel = true;
    const Outcome duel = trials_.outcome_of(trials[i], seed);
    won[i] = is_faster(duel);
    if (won[i]) all[i] = duel;
  }
  std::vector<std::optional<double>> costs;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!ended_well(all[i])) {
      costs.emplace_back();
      continue;
    }
    const double ratio = all[i].at("ratio");
    costs.emplace_back(cost_with(trials[i], all[i], won[i] ? ratio : std::max(ratio, 1.0)));
  }
  return costs;
}

Tuned LayerTuning::run(TuneOptions options) {
  const auto shown = options.progress;
  options.progress = [&](const Progress& p, const KnobBook& book) {
    if (p.better) {
      if (!p.task->plan) layer_ns_.at(key_of(*p.task)) += (p.best - cost_) / p.task->layers;
      cost_ = p.best;
      incumbent_ = book;
      if (p.task->plan) meet(machine().tasks_with(book));
    }
    if (shown) shown(p, book);
  };
  incumbent_ = {machine().target, {}, {}};
  layer_ns_.clear();
  meet(tasks_);
  options.plan_share = kPlanShare;
  return tune(
      machine().target,
      [this](const KnobBook& book) { return book.records.empty() ? tasks_ : machine().tasks_with(book); },
      [&](const std::vector<KnobBook>& books) { return costs(books, options.seed); }, options);
}

}  // namespace vdla::tune
