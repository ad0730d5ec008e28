// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/transfer_logs.h"

#include <algorithm>
#include <map>
#include <optional>

#include "compiler/knobs/choice.h"
#include "support/error.h"
#include "tools/tune/log.h"

namespace vdla::tune {
namespace {

using explore::Json;
using pipeline::Knob;

std::vector<Knob> knobs_from(const Json& space) {
  std::vector<Knob> knobs;
  for (const auto& [name, values] : space.items()) {
    if (values.is_array())
      knobs.push_back({name, std::ssize(values), values.get<std::vector<std::string>>()});
    else
      knobs.push_back({name, values.get<std::int64_t>(), {}});
  }
  return knobs;
}

/// A record's trial, its cost as it was measured: of the layers (CPU), or of their network.
struct LoggedTrial {
  TrialElsewhere trial;
  double layers = 1;
  bool of_network = false;
};

struct LoggedTask {
  std::vector<Knob> knobs;
  std::vector<LoggedTrial> trials;
};

/// Trial of a record that has all its fields; damage of what a person has edited is as good as nothing.
std::optional<LoggedTrial> trial_in(const Json& record, std::vector<Knob>& knobs) try {
  const Json& outcome = record.at("outcome");
  knobs = knobs_from(record.at("space"));
  LoggedTrial r;
  r.trial.point = pipeline::KnobSpace(knobs, {}).parse(record.at("knobs").get<std::string>());
  r.trial.estimate = record.at("estimate").get<double>();
  r.layers = record.at("layers").get<double>();
  r.of_network = outcome.contains("cycles");
  r.trial.cost = outcome.at(r.of_network ? "cycles" : "ns").get<double>();
  if (!(r.trial.estimate > 0 && r.trial.cost > 0 && r.layers > 0)) return std::nullopt;
  return r;
} catch (const UserError&) {
  return std::nullopt;
} catch (const InternalError&) {
  return std::nullopt;
} catch (const Json::exception&) {
  return std::nullopt;
}

/// Takes off what the network costs besides, as the tuner does: the best trial costs what is estimated.
std::vector<TrialElsewhere> of_layers(const std::vector<LoggedTrial>& logged) {
  constexpr double kLeast = 0.05;  // part of its estimate that a layer costs
  const LoggedTrial& best =
      *std::ranges::min_element(logged, {}, [](const LoggedTrial& r) { return r.trial.cost; });
  std::vector<TrialElsewhere> trials;
  for (const LoggedTrial& r : logged) {
    trials.push_back(r.trial);
    if (!r.of_network) continue;
    const double worth = r.layers * best.trial.estimate;
    trials.back().cost = std::max(r.trial.cost - best.trial.cost + worth, kLeast * worth);
  }
  return trials;
}

}  // namespace

Json space_json(const std::vector<Knob>& knobs) {
  Json space = Json::object();
  for (const Knob& knob : knobs) space[knob.name] = knob.names.empty() ? Json(knob.values) : Json(knob.names);
  return space;
}

Json about_point(const Task& task, const std::string& knobs) {
  return {{"layers", task.layers},
          {"estimate", task.space.estimate(task.space.parse(knobs))},
          {"space", space_json(task.space.knobs())}};
}

LogsElsewhere read_logs(const std::vector<std::string>& paths) {
  std::map<std::string, LoggedTask> tasks;
  LogsElsewhere logs;
  for (const std::string& path : paths)
    for (const Json& record : records_of(path, "--from")) {
      const std::string stage = text_in(record, "stage");
      if (record.at("outcome").at("status") != "ok" || !record.contains("task") || stage == "duel") continue;
      if (stage == kUse && !record.contains("space")) continue;            // one of default knobs
      if (text_in(record, "context") == pipeline::kPlanContext) continue;  // has no layers to learn of
      std::vector<Knob> knobs;
      const auto trial = trial_in(record, knobs);
      if (!trial) {
        ++logs.strange;
        continue;
      }
      std::string key = path;
      for (const char* part : {"target", "network", "seed", "task", "context"})
        key += "\n" + (record.contains(part) ? record.at(part).dump() : "");
      LoggedTask& of = tasks[key];
      of.knobs = knobs;
      of.trials.push_back(*trial);
    }
  for (const auto& [key, task] : tasks) {
    logs.transfer.add(task.knobs, of_layers(task.trials));
    logs.trials += task.trials.size();
  }
  return logs;
}

}  // namespace vdla::tune
