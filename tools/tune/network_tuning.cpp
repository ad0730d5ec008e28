// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/network_tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "compiler/pipeline/compile.h"
#include "compiler/targets/vdla/segment/layer_cache.h"
#include "isa/program/program.h"
#include "kit/module.h"
#include "support/error.h"
#include "tools/explore/hash.h"
#include "tools/tune/transfer_logs.h"

namespace vdla::tune {
namespace {

using explore::Json;
using pipeline::KnobBook;

/// A program that fails on a board is tried once more, after a reset; besides, boards are reached and taken.
constexpr double kAttempts = 2, kBoardSeconds = 60;

/// Hash of all that the device runs.
std::string program_hash(const pipeline::CompiledModel& model) {
  std::string hashes;
  for (const pipeline::Step& step : model.steps)
    if (const auto* device = std::get_if<pipeline::DeviceStep>(&step))
      hashes += fmt::format("{:016x}", isa::content_hash(device->program));
  return explore::content_hash(hashes);
}

/// Fields of a log about the record of a trial, the last one of its book, whose task is one of `tasks`.
Json about_last(const KnobBook& book, bool has_cost, const std::vector<Task>& tasks) {
  const auto last = std::ranges::max_element(book.records, {}, &pipeline::KnobRecord::record);
  Json record{
      {"trial", last->record}, {"task", last->task}, {"context", last->context}, {"knobs", last->knobs}};
  const auto task = std::ranges::find_if(
      tasks, [&](const Task& t) { return !t.plan && t.task == last->task && t.context == last->context; });
  // Without a cost the knobs may be none of the task's: a book's that a person wrote.
  if (has_cost && task != tasks.end()) record.update(about_point(*task, last->knobs));
  return record;
}

std::vector<std::string> texts(const std::vector<const KnobBook*>& books) {
  std::vector<std::string> all;
  for (const KnobBook* book : books) all.push_back(pipeline::to_json(*book));
  return all;
}

}  // namespace

double moved_cycles(const pipeline::CompiledModel& model) {
  return std::round(model.moved_seconds * model.variant.timing.clock_mhz * 1e6);
}

NetworkTuning::NetworkTuning(const graph::Graph& graph, const pipeline::CompileOptions& compile,
                             const Options& options)
    : graph_(graph),
      options_(options),
      compile_(compile),
      target_(pipeline::target_of(compile.variant)),
      log_(options.log),
      workers_(
          options.fleet.empty() ? options.jobs : static_cast<unsigned>(options.fleet.size()),
          options.fleet.empty() ? options.limit_seconds : board_trial_seconds(options.limit_seconds),
          [this](const Json& book, unsigned worker) { return trial(book.get<std::string>(), worker); },
          Workers::Renew::AfterCrash,
          [this](unsigned worker, const Json& outcome) {
            if (options_.lost) options_.lost(options_.fleet.at(worker), outcome);
          }) {
  compile_.machine_code = false;
  compile_.observer = nullptr;
  compile_.layers = std::make_shared<pipeline::LayerCache>();
  plans_.emplace(graph_, compile_);
  tasks_ = plans_->with({target_, {}, {}});
  if (std::ranges::all_of(tasks_, &Task::plan)) tasks_.clear();
  met_ = tasks_;
}

/// Runs in a process that measures.
Outcome NetworkTuning::trial(const std::string& book, unsigned worker) {
  if (!place_) place_ = options_.fleet.empty() ? engine_here() : options_.board(worker);
  try {
    compile_.book = pipeline::read_knob_book(book, "a trial's book");
    const pipeline::CompiledModel model = pipeline::compile(graph_, compile_);
    Outcome outcome = timed_at(*place_, kit::to_module(model, kit::HostCode::LeftOut));
    if (outcome.at("status") != "ok") return outcome;
    outcome["program"] = program_hash(model);
    if (const double moved = moved_cycles(model); moved != 0)
      outcome["cycles"] = std::max(1.0, outcome.at("cycles").get<double>() + moved);
    return outcome;
  } catch (const UserError& e) {
    return {{"status", "unbuildable"}, {"reason", e.what()}};
  }
}

std::string NetworkTuning::key_of(const KnobBook& book) const {
  std::string text = options_.network + "\n" + options_.kit + "\n" + book.target + "\n";
  for (const std::string& board : options_.fleet) text += "board " + board + "\n";
  if (!options_.boards_elsewhere.empty()) text += "boards " + options_.boards_elsewhere + "\n";
  for (const pipeline::KnobRecord& r : book.records)
    text += r.task + "\n" + r.context + "\n" + r.knobs + "\n";
  return explore::content_hash(text);
}

/// Cycles of one search are counted by one kind of machine.
void NetworkTuning::take_engine(const Outcome& outcome) {
  if (outcome.at("status") != "ok" || !outcome.contains("engine")) return;
  const std::string engine = outcome.at("engine");
  VDLA_CHECK_USER(!engine_known_ || engine == engine_)
      << "the boards of a fleet must be alike, and one counts cycles of '" << engine << "', another one of '"
      << engine_ << "'; leave one of them out";
  engine_ = engine;
  engine_known_ = true;
}

void NetworkTuning::note_default(const KnobBook& book, const Outcome& outcome) {
  if (book.records.empty() && outcome.at("status") == "ok") by_default_ = outcome.at("cycles").get<double>();
}

/// With default knobs here, so that other machines are compared with this one; boards with the first of them.
std::vector<Outcome> NetworkTuning::outcomes_of(const std::vector<const KnobBook*>& books) {
  const std::vector<std::string> all = texts(books);
  if (options_.elsewhere && !all.empty() && (by_default_ || !options_.boards_elsewhere.empty()))
    return options_.elsewhere(all, by_default_);
  return workers_.run(std::vector<Json>(all.begin(), all.end()));
}

std::vector<Outcome> NetworkTuning::measure(const std::vector<KnobBook>& books, std::uint64_t seed) {
  std::vector<Outcome> outcomes(books.size());
  std::vector<const KnobBook*> unknown;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < books.size(); ++i) {
    if (const Outcome* known = log_.find(key_of(books[i]))) {
      outcomes[i] = *known;
      take_engine(*known);
      note_default(books[i], *known);
    } else {
      unknown.push_back(&books[i]);
      places.push_back(i);
    }
  }
  const std::vector<Outcome> answers = outcomes_of(unknown);
  for (const Outcome& answer : answers) take_engine(answer);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const KnobBook& book = *unknown[i];
    ++measured_;
    const bool has_cost = answers[i].at("status") == "ok";
    failed_ += has_cost ? 0 : 1;
    Json record{{"network", options_.network}, {"target", target_}, {"engine", engine_}, {"seed", seed}};
    if (!book.records.empty()) record.update(about_last(book, has_cost, met_));
    log_.add(key_of(book), record, answers[i]);
    note_default(book, answers[i]);
    outcomes[places[i]] = answers[i];
  }
  return outcomes;
}

std::vector<std::optional<double>> NetworkTuning::costs(const std::vector<KnobBook>& books,
                                                        std::uint64_t seed) {
  std::vector<std::optional<double>> costs;
  for (const Outcome& o : measure(books, seed))
    costs.push_back(o.at("status") == "ok" ? std::optional(o.at("cycles").get<double>()) : std::nullopt);
  return costs;
}

Tuned NetworkTuning::run(const TuneOptions& options) {
  return tune(
      target_,
      [this](const KnobBook& book) {
        if (book.records.empty()) return tasks_;
        const std::vector<Task>& tasks = plans_->with(book);
        for (const Task& task : tasks)
          if (std::ranges::none_of(
                  met_, [&](const Task& t) { return t.task == task.task && t.context == task.context; }))
            met_.push_back(task);
        return tasks;
      },
      [&](const std::vector<KnobBook>& books) { return costs(books, options.seed); }, options);
}

double board_trial_seconds(double limit_seconds) {
  return kAttempts * (limit_seconds + 2 * kResetSeconds) + kBoardSeconds;
}

pipeline::CompileOptions tuning_options(const isa::Variant& variant) {
  pipeline::CompileOptions options;
  options.variant = variant;
  options.partition = pipeline::Partition::Cost;
  options.machine_code = false;
  return options;
}

std::optional<Tuned> search_in_passing(const graph::Graph& graph, const pipeline::CompileOptions& compile,
                                       const NetworkTuning::Options& options, std::int64_t trials,
                                       std::vector<std::string>& notes) {
  NetworkTuning tuning(graph, compile, options);
  if (tuning.tasks().empty()) return std::nullopt;
  TuneOptions how;
  how.trials = trials;
  how.model = &model_of(*how.search, notes);
  return tuning.run(how);
}

}  // namespace vdla::tune
