// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/alternatives.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "compiler/tune/draft.h"
#include "support/error.h"
#include "tools/tune/log.h"

namespace vdla::tune {
namespace {

using explore::Json;
using pipeline::KnobTask;

constexpr std::size_t kCandidates =
    8;  // of a layer, of which it gets the first that make kernels of their own
constexpr std::uint64_t kSeed = 1;

/// By task and context: what was tried, and the least of its time over that of what it raced. Infinite: it
/// did not end well.
using Measured = std::map<std::pair<std::string, std::string>, std::map<std::string, double>>;

std::string text_in(const Json& record, const char* key) {
  return record.contains(key) && record.at(key).is_string() ? record.at(key).get<std::string>() : "";
}

Measured measured_in(const std::vector<std::string>& logs) {
  Measured measured;
  for (const std::string& path : logs)
    for (const Json& record : records_of(path, "--adapt-from")) {
      const Json& outcome = record.at("outcome");
      const bool lost = outcome.at("status") != "ok";
      if (text_in(record, "knobs").empty() || (!lost && !is_timed(outcome))) continue;
      auto& of_task = measured[{text_in(record, "task"), text_in(record, "context")}];
      const double ratio = lost ? std::numeric_limits<double>::infinity() : outcome.at("ratio").get<double>();
      const auto [known, is_new] = of_task.try_emplace(text_in(record, "knobs"), ratio);
      if (!is_new) known->second = std::min(known->second, ratio);
    }
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

/// Of one task, the most promising first, each once.
struct Candidates {
  std::vector<std::string> knobs;
  std::size_t from_logs = 0;
};

Candidates candidates(const KnobTask& task, const std::map<std::string, double>& measured) {
  Candidates found;
  std::vector<std::pair<double, std::string>> won;
  std::vector<std::string> lost;
  for (const auto& [text, ratio] : measured)
    if (auto knobs = knobs_in(task, text)) {
      if (ratio < 1)
        won.emplace_back(ratio, std::move(*knobs));
      else
        lost.push_back(std::move(*knobs));
    }
  std::ranges::sort(won);
  for (auto& [ratio, knobs] : won)
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
  const pipeline::CompiledModel model = pipeline::compile(graph, plain);
  Alternatives made;
  for (const KnobTask& task : pipeline::knob_tasks(model)) {
    if (!made.books.empty() && made.books[0].find(task.task, task.context))
      continue;  // a layer like another one
    const auto known = measured.find({task.task, task.context});
    const Candidates found =
        candidates(task, known == measured.end() ? std::map<std::string, double>{} : known->second);
    made.from_logs += found.from_logs;
    for (std::size_t i = 0; i < found.knobs.size(); ++i) {
      if (i == made.books.size()) made.books.push_back({target, {}, {}});
      made.books[i].put({task.task, task.context, found.knobs[i], static_cast<std::int64_t>(i) + 1});
    }
  }
  return made;
}

}  // namespace vdla::tune
