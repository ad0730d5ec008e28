// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/cpu_tuning.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "support/error.h"
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

/// Every layer is asked for its knobs, and none keeps machine code.
pipeline::CompileOptions with_knobs(pipeline::CompileOptions options, const std::string& target) {
  options.book = KnobBook{target, {}, {}};
  options.machine_code = false;
  return options;
}

}  // namespace

CpuTuning::CpuTuning(const graph::Graph& graph, const pipeline::CompileOptions& compile,
                     const Options& options)
    : graph_(graph),
      options_(options),
      compile_(compile),
      target_(pipeline::target_of(compile)),
      model_(pipeline::compile(graph, with_knobs(compile, target_))),
      incumbent_{target_, {}, {}},
      log_(options.log),
      workers_(1, options.limit_seconds, [this](const Json& trial, unsigned) {
        const CpuTrial how{&graph_, &model_, compile_, options_.threads, options_.stopwatch};
        const KnobBook book = book_from(trial.at("book")), incumbent = book_from(trial.at("incumbent"));
        if (!trial.contains("step")) return race_network(how, book, incumbent);
        return race_layer(how, trial.at("step").get<std::size_t>(), book, incumbent,
                          trial.at("duel").get<bool>() ? kDuel : kRace);
      }) {
  for (std::size_t i = 0; i < model_.steps.size(); ++i) {
    const auto* step = std::get_if<pipeline::HostStep>(&model_.steps[i]);
    if (!step || !step->kernel.task) continue;
    const pipeline::KnobTask& t = *step->kernel.task;
    const std::size_t known = index_of(t.task, t.context);
    if (known < tasks_.size()) {
      ++tasks_[known].layers;
      continue;
    }
    tasks_.push_back({t.task, t.context, t.space, 1, false});
    layers_.push_back({i});
  }
}

std::size_t CpuTuning::index_of(const std::string& task, const std::string& context) const {
  const auto found =
      std::ranges::find_if(tasks_, [&](const Task& t) { return t.task == task && t.context == context; });
  return static_cast<std::size_t>(found - tasks_.begin());
}

std::string CpuTuning::knobs_of(const KnobBook& book, std::size_t task) const {
  const pipeline::KnobRecord* record = book.find(tasks_[task].task, tasks_[task].context);
  return record ? record->knobs : kByDefault;
}

double CpuTuning::cost_with(std::size_t task, double ratio) const {
  return cost_ + tasks_[task].layers * layers_[task].ns * (ratio - 1);
}

std::vector<Outcome> CpuTuning::outcomes(const std::vector<Trial>& trials, std::uint64_t seed) {
  std::vector<Outcome> all(trials.size());
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const Trial& t = trials[i];
    const Task& task = tasks_[t.task];
    const std::string knobs = knobs_of(t.book, t.task), incumbent = knobs_of(incumbent_, t.task);
    const std::string key = explore::content_hash(
        options_.kit + "\n" + target_ + "\n" + std::to_string(options_.threads) + "\n" + task.task + "\n" +
        task.context + "\n" + knobs + "\n" + incumbent + "\n" + (t.duel ? "duel" : "race"));
    if (const Outcome* known = log_.find(key)) {
      all[i] = *known;
      continue;
    }
    // One after the other: what runs beside a trial would change its times.
    all[i] = workers_.run({{{"step", layers_[t.task].step},
                            {"duel", t.duel},
                            {"book", pipeline::to_json(t.book)},
                            {"incumbent", pipeline::to_json(incumbent_)}}})[0];
    ++measured_;
    failed_ += ended_well(all[i]) ? 0 : 1;
    Json record{{"target", target_},
                {"engine", "cpu"},
                {"threads", options_.threads},
                {"seed", seed},
                {"trial", t.book.records.empty() ? 0 : latest(t.book).record},
                {"stage", t.duel ? "duel" : "race"},
                {"task", task.task},
                {"context", task.context},
                {"knobs", knobs},
                {"incumbent", incumbent}};
    if (ended_well(all[i]) && t.book.find(task.task, task.context)) record.update(about_point(task, knobs));
    log_.add(key, record, all[i]);
  }
  return all;
}

std::optional<double> CpuTuning::cost_by_default(std::uint64_t seed) {
  std::vector<Trial> trials;
  for (std::size_t i = 0; i < tasks_.size(); ++i) trials.push_back({i, incumbent_});
  const std::vector<Outcome> all = outcomes(trials, seed);
  cost_ = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    VDLA_CHECK_USER(ended_well(all[i]))
        << tasks_[i].task
        << " cannot be measured with default knobs: " << all[i].at("reason").get<std::string>();
    layers_[i].ns = all[i].at("incumbent_ns").get<double>();
    cost_ += tasks_[i].layers * layers_[i].ns;
  }
  return cost_;
}

std::vector<std::optional<double>> CpuTuning::costs(const std::vector<KnobBook>& books, std::uint64_t seed) {
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

Tuned CpuTuning::run(TuneOptions options) {
  const auto shown = options.progress;
  options.progress = [&](const Progress& p, const KnobBook& book) {
    if (p.better) {
      const std::size_t task = index_of(p.task->task, p.task->context);
      layers_[task].ns += (p.best - cost_) / tasks_[task].layers;
      cost_ = p.best;
      incumbent_ = book;
    }
    if (shown) shown(p, book);
  };
  incumbent_ = {target_, {}, {}};
  return tune(
      target_, [this](const KnobBook&) { return tasks_; },
      [&](const std::vector<KnobBook>& books) { return costs(books, options.seed); }, options);
}

Outcome CpuTuning::duel(const KnobBook& book, const KnobBook& incumbent) {
  return workers_.run({{{"book", pipeline::to_json(book)}, {"incumbent", pipeline::to_json(incumbent)}}})[0];
}

}  // namespace vdla::tune
