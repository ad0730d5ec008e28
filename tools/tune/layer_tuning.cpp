// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/layer_tuning.h"

#include <algorithm>
#include <utility>

#include "support/error.h"
#include "support/json_dump.h"
#include "tools/explore/hash.h"
#include "tools/tune/transfer_logs.h"

namespace vdla::tune {
namespace {

using explore::Json;
using pipeline::KnobBook;

KnobBook book_from(const Json& text) {
  return pipeline::read_knob_book(text.get<std::string>(), "a trial's book");
}

/// What was put into a book last.
const pipeline::KnobRecord& latest(const KnobBook& book) {
  return *std::ranges::max_element(book.records, {}, &pipeline::KnobRecord::record);
}

bool ended_well(const Outcome& outcome) { return outcome.at("status") == "ok"; }
bool is_faster(const Outcome& outcome) { return ended_well(outcome) && outcome.at("high").get<double>() < 1; }

}  // namespace

bool LayerTrials::add(const pipeline::KnobTask& task) {
  const auto known = std::ranges::find_if(
      tasks, [&](const Task& t) { return t.task == task.task && t.context == task.context; });
  if (known != tasks.end()) {
    ++known->layers;
    return false;
  }
  tasks.push_back({task.task, task.context, task.space, 1, false});
  return true;
}

LayerTuning::LayerTuning(LayerTrials trials, const Options& options)
    : trials_(std::move(trials)),
      options_(options),
      ns_(trials_.tasks.size()),
      incumbent_{trials_.target, {}, {}},
      log_(options.log),
      workers_(
          1, options.limit_seconds,
          [this](const Json& trial, unsigned) {
            const KnobBook book = book_from(trial.at("book")), incumbent = book_from(trial.at("incumbent"));
            if (!trial.contains("task")) return trials_.race_network(book, incumbent);
            return trials_.race_layer(trial.at("task").get<std::size_t>(), book, incumbent,
                                      trial.at("duel").get<bool>() ? kDuel : kRace);
          },
          {}, trials_.after_failure) {}

std::size_t LayerTuning::index_of(const std::string& task, const std::string& context) const {
  const auto found = std::ranges::find_if(
      trials_.tasks, [&](const Task& t) { return t.task == task && t.context == context; });
  return static_cast<std::size_t>(found - trials_.tasks.begin());
}

std::string LayerTuning::knobs_of(const KnobBook& book, std::size_t task) const {
  const pipeline::KnobRecord* record = book.find(trials_.tasks[task].task, trials_.tasks[task].context);
  return record ? record->knobs : kByDefault;
}

double LayerTuning::cost_with(std::size_t task, double ratio) const {
  return cost_ + trials_.tasks[task].layers * ns_[task] * (ratio - 1);
}

std::vector<Outcome> LayerTuning::outcomes(const std::vector<Trial>& trials, std::uint64_t seed) {
  std::vector<Outcome> all(trials.size());
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const Trial& t = trials[i];
    const Task& task = trials_.tasks[t.task];
    const std::string key =
        explore::content_hash(options_.kit + "\n" + trials_.target + "\n" + json_dump(trials_.machine) +
                              "\n" + task.task + "\n" + task.context + "\n" + knobs_of(t.book, t.task) +
                              "\n" + knobs_of(incumbent_, t.task) + "\n" + (t.duel ? "duel" : "race"));
    if (const Outcome* known = log_.find(key)) {
      all[i] = *known;
      continue;
    }
    // One after the other: what runs beside a trial would change its times.
    all[i] = workers_.run({{{"task", t.task},
                            {"duel", t.duel},
                            {"book", pipeline::to_json(t.book)},
                            {"incumbent", pipeline::to_json(incumbent_)}}})[0];
    ++measured_;
    failed_ += ended_well(all[i]) ? 0 : 1;
    log_.add(key, record_of(t, all[i], seed), all[i]);
  }
  return all;
}

Json LayerTuning::record_of(const Trial& trial, const Outcome& outcome, std::uint64_t seed) const {
  const Task& task = trials_.tasks[trial.task];
  const std::string knobs = knobs_of(trial.book, trial.task);
  Json record{{"target", trials_.target}, {"engine", trials_.engine}};
  record.update(trials_.machine);
  record.update({{"seed", seed},
                 {"trial", trial.book.records.empty() ? 0 : latest(trial.book).record},
                 {"stage", trial.duel ? "duel" : "race"},
                 {"task", task.task},
                 {"context", task.context},
                 {"knobs", knobs},
                 {"incumbent", knobs_of(incumbent_, trial.task)}});
  if (ended_well(outcome) && trial.book.find(task.task, task.context))
    record.update(about_point(task, knobs));
  return record;
}

std::optional<double> LayerTuning::cost_by_default(std::uint64_t seed) {
  std::vector<Trial> trials;
  for (std::size_t i = 0; i < trials_.tasks.size(); ++i) trials.push_back({i, incumbent_});
  const std::vector<Outcome> all = outcomes(trials, seed);
  cost_ = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    VDLA_CHECK_USER(ended_well(all[i]))
        << trials_.tasks[i].task
        << " cannot be measured with default knobs: " << all[i].at("reason").get<std::string>();
    ns_[i] = all[i].at("incumbent_ns").get<double>();
    cost_ += trials_.tasks[i].layers * ns_[i];
  }
  return cost_;
}

std::vector<std::optional<double>> LayerTuning::costs(const std::vector<KnobBook>& books,
                                                      std::uint64_t seed) {
  if (books.size() == 1 && books[0].records.empty()) return {cost_by_default(seed)};
  std::vector<Trial> trials;
  for (const KnobBook& book : books) {
    const pipeline::KnobRecord& record = latest(book);
    trials.push_back({index_of(record.task, record.context), book});
  }
  std::vector<Outcome> all = outcomes(trials, seed);
  // The best of those that won their race has the luckiest times: it wins where it does so again.
  std::size_t best = all.size();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (is_faster(all[i]) && (best == all.size() || all[i].at("ratio") < all[best].at("ratio"))) best = i;
  bool won = false;
  if (best < all.size()) {
    trials[best].duel = true;
    const Outcome duel = outcomes({trials[best]}, seed)[0];
    won = is_faster(duel);
    if (won) all[best] = duel;
  }
  std::vector<std::optional<double>> costs;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!ended_well(all[i])) {
      costs.emplace_back();
      continue;
    }
    const double ratio = all[i].at("ratio");
    costs.emplace_back(cost_with(trials[i].task, won && i == best ? ratio : std::max(ratio, 1.0)));
  }
  return costs;
}

Tuned LayerTuning::run(TuneOptions options) {
  const auto shown = options.progress;
  options.progress = [&](const Progress& p, const KnobBook& book) {
    if (p.better) {
      const std::size_t task = index_of(p.task->task, p.task->context);
      ns_[task] += (p.best - cost_) / trials_.tasks[task].layers;
      cost_ = p.best;
      incumbent_ = book;
    }
    if (shown) shown(p, book);
  };
  incumbent_ = {trials_.target, {}, {}};
  return tune(
      trials_.target, [this](const KnobBook&) { return trials_.tasks; },
      [&](const std::vector<KnobBook>& books) { return costs(books, options.seed); }, options);
}

Outcome LayerTuning::duel(const KnobBook& book, const KnobBook& incumbent) {
  return workers_.run({{{"book", pipeline::to_json(book)}, {"incumbent", pipeline::to_json(incumbent)}}})[0];
}

}  // namespace vdla::tune
