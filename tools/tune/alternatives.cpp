// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/alternatives.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "compiler/knobs/choice.h"
#include "compiler/tune/draft.h"
#include "runtime/session/adaptation.h"
#include "support/error.h"
#include "tools/tune/log.h"

namespace vdla::tune {
namespace {

using explore::Json;
using pipeline::KnobTask;

constexpr std::size_t kCandidates =
    8;  // number of alternatives of a layer, of which it gets the first that make kernels of their own
constexpr std::uint64_t kSeed = 1;

/// Time with each of a task's knobs over that with default ones, the least of several logs; infinite: they
/// gave no kernel, or one with other results.
using Times = std::map<std::string, double>;
/// Times by task and context.
using Measured = std::map<std::pair<std::string, std::string>, Times>;

struct Race {
  std::string knobs, incumbent;
  double ratio = 1;
};

/// Chains ratios, since each is to what was best when the race was run. Knobs that nothing leads to from the
/// default ones were taken from a book: an earlier search found them faster.
Times over_default(const std::vector<Race>& races) {
  Times times{{kByDefault, 1}};
  const auto follow = [&] {
    for (const Race& race : races) {
      const auto incumbent = times.find(race.incumbent);
      if (race.knobs == race.incumbent) continue;
      if (incumbent != times.end() && race.knobs != kByDefault)
        times[race.knobs] = race.ratio * incumbent->second;
      else if (incumbent == times.end() && race.knobs == kByDefault)
        times[race.incumbent] = 1 / race.ratio;
    }
  };
  follow();
  for (const Race& race : races) times.try_emplace(race.incumbent, 1 - runtime::Adaptation::kGain);
  follow();
  times.erase(kByDefault);
  return times;
}

Measured measured_in(const std::vector<std::string>& logs) {
  Measured measured;
  std::vector<std::array<std::string, 3>> failed;  // the machine may have been the reason
  for (const std::string& path : logs) {
    // Races on another machine, or with other threads, are another chain.
    std::map<std::array<std::string, 4>, std::vector<Race>> races;
    for (const Json& record : records_of(path, "--adapt-from")) {
      const Json& outcome = record.at("outcome");
      const std::string knobs = text_in(record, "knobs"), task = text_in(record, "task"),
                        context = text_in(record, "context");
      if (knobs.empty()) continue;
      if (is_timed(outcome))
        races[{task, context, text_in(record, "target"), record.value("threads", Json()).dump()}].push_back(
            {knobs, text_in(record, "incumbent"), outcome.at("ratio").get<double>()});
      else if (outcome.at("status") == "unbuildable")
        measured[{task, context}][knobs] = std::numeric_limits<double>::infinity();
      else if (outcome.at("status") == "failed")
        failed.push_back({task, context, knobs});
    }
    for (const auto& [chain, of_task] : races)
      for (const auto& [knobs, time] : over_default(of_task)) {
        const auto [known, is_new] = measured[{chain[0], chain[1]}].try_emplace(knobs, time);
        if (!is_new && std::isfinite(known->second)) known->second = std::min(known->second, time);
      }
  }
  for (const auto& [task, context, knobs] : failed)
    measured[{task, context}].try_emplace(knobs, std::numeric_limits<double>::infinity());
  return measured;
}

/// The text of knobs that a record has, as the task's space writes it; nothing for those of another space.
std::optional<std::string> knobs_in(const KnobTask& task, const std::string& text) {
  try {
    const pipeline::Point point = task.space.parse(text);
    if (task.space.legal(point)) return task.space.text(point);
  } catch (const UserError&) {  // "by default", and what another kit wrote
  }
  return std::nullopt;
}

/// Candidates of one task, the most promising first, each once.
struct Candidates {
  std::vector<std::string> knobs;
  std::size_t from_logs = 0;
};

Candidates candidates(const KnobTask& task, const Times& measured) {
  Candidates found;
  std::vector<std::pair<double, std::string>> won;
  std::vector<std::string> lost;
  for (const auto& [text, time] : measured)
    if (auto knobs = knobs_in(task, text)) {
      if (time < 1)
        won.emplace_back(time, std::move(*knobs));
      else
        lost.push_back(std::move(*knobs));
    }
  std::ranges::sort(won);
  for (auto& [time, knobs] : won)
    if (found.knobs.size() < kCandidates) found.knobs.push_back(std::move(knobs));
  found.from_logs = found.knobs.size();
  for (const Drafted& drafted : draft(task.space, kSeed)) {
    if (found.knobs.size() >= kCandidates) break;
    std::string text = task.space.text(drafted.point);
    if (std::ranges::count(lost, text) == 0 && std::ranges::count(found.knobs, text) == 0)
      found.knobs.push_back(std::move(text));
  }
  return found;
}

}  // namespace

Alternatives alternatives_of(const graph::Graph& graph, const pipeline::CompileOptions& options,
                             const std::vector<std::string>& logs) {
  const Measured measured = measured_in(logs);
  const std::string target = pipeline::target_of(options);
  pipeline::CompileOptions plain = options;
  plain.machine_code = false;
  plain.observer = {};
  plain.alternatives.clear();
  plain.book = pipeline::KnobBook{target, {}, {}};
  if (options.book && options.book->target == target)
    for (const pipeline::KnobRecord& record : options.book->records)
      if (record.context == pipeline::kPlanContext) plain.book->put(record);
  const pipeline::CompiledModel model = pipeline::compile(graph, plain);
  Alternatives made;
  for (const KnobTask& task : pipeline::knob_tasks(model)) {
    if (task.plan) continue;  // there is one plan for all kernels
    if (!made.books.empty() && made.books[0].find(task.task, task.context))
      continue;  // a layer like another one
    const auto known = measured.find({task.task, task.context});
    const Candidates found = candidates(task, known == measured.end() ? Times{} : known->second);
    made.from_logs += found.from_logs;
    for (std::size_t i = 0; i < found.knobs.size(); ++i) {
      if (i == made.books.size()) made.books.push_back({target, {}, {}});
      made.books[i].put({task.task, task.context, found.knobs[i], static_cast<std::int64_t>(i) + 1});
    }
  }
  return made;
}

}  // namespace vdla::tune
