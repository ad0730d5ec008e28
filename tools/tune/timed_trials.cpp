// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/timed_trials.h"

#include <algorithm>
#include <utility>

#include "compiler/knobs/choice.h"
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

std::string text_of(const KnobBook& book) {
  std::string text;
  for (const pipeline::KnobRecord& r : book.records)
    text += r.task + "\n" + r.context + "\n" + r.knobs + "\n";
  return text;
}

std::string knobs_of(const KnobBook& book, const Task& task) {
  const pipeline::KnobRecord* record = book.find(task.task, task.context);
  return record ? record->knobs : kByDefault;
}

}  // namespace

const pipeline::KnobRecord& latest(const KnobBook& book) {
  return *std::ranges::max_element(book.records, {}, &pipeline::KnobRecord::record);
}

bool ended_well(const Outcome& outcome) { return outcome.at("status") == "ok"; }
bool is_faster(const Outcome& outcome) { return ended_well(outcome) && outcome.at("high").get<double>() < 1; }

TimedTrials::TimedTrials(LayerTrials trials, const Options& options)
    : trials_(std::move(trials)),
      options_(options),
      log_(options.log),
      workers_(
          1, options.limit_seconds, [this](const Json& trial, unsigned) { return measured_of(trial); },
          trials_.renew) {}

Outcome TimedTrials::measured_of(const Json& trial) const {
  const KnobBook book = book_from(trial.at("book")), incumbent = book_from(trial.at("incumbent"));
  if (!trial.contains("task")) return trials_.race_network(book, incumbent);
  return trials_.race(trial.at("task"), trial.at("context"), book, incumbent,
                      trial.at("duel").get<bool>() ? kDuel : kRace);
}

/// A layer has the same cost in every network; what a plan gains is of this one, and of its other knobs.
std::string TimedTrials::key_of(const Trial& t) const {
  std::string text = options_.kit + "\n" + trials_.target + "\n" + json_dump(trials_.machine) + "\n";
  if (t.task.plan)
    text += options_.network + "\n" + text_of(t.book) + "against\n" + text_of(t.incumbent);
  else
    text += t.task.task + "\n" + t.task.context + "\n" + knobs_of(t.book, t.task) + "\n" +
            knobs_of(t.incumbent, t.task);
  return explore::content_hash(text + "\n" + (t.duel ? "duel" : "race"));
}

Json TimedTrials::record_of(const Trial& t, const Outcome& outcome, std::uint64_t seed) const {
  Json record{{"target", trials_.target}, {"engine", trials_.engine}};
  record.update(trials_.machine);
  record.update({{"seed", seed},
                 {"trial", t.book.records.empty() ? 0 : latest(t.book).record},
                 {"stage", t.duel ? "duel" : "race"},
                 {"task", t.task.task},
                 {"context", t.task.context},
                 {"knobs", knobs_of(t.book, t.task)},
                 {"incumbent", knobs_of(t.incumbent, t.task)}});
  if (t.task.plan) record["network"] = options_.network;
  if (!t.task.plan && ended_well(outcome) && t.book.find(t.task.task, t.task.context))
    record.update(about_point(t.task, knobs_of(t.book, t.task)));
  return record;
}

Outcome TimedTrials::outcome_of(const Trial& t, std::uint64_t seed) {
  const std::string key = key_of(t);
  if (const Outcome* known = log_.find(key)) return *known;
  Outcome outcome = workers_.run({{{"task", t.task.task},
                                   {"context", t.task.context},
                                   {"duel", t.duel},
                                   {"book", pipeline::to_json(t.book)},
                                   {"incumbent", pipeline::to_json(t.incumbent)}}})[0];
  ++measured_;
  failed_ += ended_well(outcome) ? 0 : 1;
  log_.add(key, record_of(t, outcome, seed), outcome);
  return outcome;
}

Outcome TimedTrials::duel(const KnobBook& book, const KnobBook& incumbent) {
  return workers_.run({{{"book", pipeline::to_json(book)}, {"incumbent", pipeline::to_json(incumbent)}}})[0];
}

}  // namespace vdla::tune
