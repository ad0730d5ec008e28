// SPDX-License-Identifier: Apache-2.0
// Tuning for a machine that is timed, a CPU or a GPU: the choices of a network's plan there, the layers that
// have knobs, and what each value of a choice and each point of a layer costs. Times carry noise: a candidate
// runs in turns with what the best book has, in a process of its own, and counts as better only where the
// interval of its ratio lies below 1, twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/tune/tuner.h"
#include "tools/tune/log.h"
#include "tools/tune/timed_trials.h"

namespace vdla::tune {

/// A network. Layers do not overlap there: its cost is the sum of theirs, in nanoseconds.
class LayerTuning {
 public:
  using Options = TimedTrials::Options;

  LayerTuning(LayerTrials trials, const Options& options);

  /// Tasks by default: choices of the plan, then layers; none where no template with knobs takes a layer.
  const std::vector<Task>& tasks() const { return tasks_; }
  const LayerTrials& machine() const { return trials_.machine(); }
  std::int64_t measured() const { return trials_.measured(); }
  std::int64_t failed() const { return trials_.failed(); }

  Tuned run(TuneOptions options);
  Outcome duel(const pipeline::KnobBook& book, const pipeline::KnobBook& incumbent) {
    return trials_.duel(book, incumbent);
  }

 private:
  using Trial = TimedTrials::Trial;
  using Key = std::pair<std::string, std::string>;
  static Key key_of(const Task& task) { return {task.task, task.context}; }

  /// For each book, which differs from the incumbent in its latest record.
  std::vector<std::optional<double>> costs(const std::vector<pipeline::KnobBook>& books, std::uint64_t seed);
  std::optional<double> cost_by_default(std::uint64_t seed);
  /// Trials among the outcomes of races that run again, since they were the faster ones.
  static std::vector<std::size_t> for_duels(const std::vector<Trial>& trials,
                                            const std::vector<Outcome>& outcomes);
  /// Cost of the network with what a trial is about taking `ratio` of its time.
  double cost_with(const Trial& trial, const Outcome& outcome, double ratio);
  /// With the incumbent, of one layer: as it was timed first, less what its task has gained since.
  double& layer_ns(const Task& task, const Outcome& outcome);
  void meet(const std::vector<Task>& tasks);

  TimedTrials trials_;
  std::vector<Task> tasks_;  ///< tasks by default
  std::map<Key, Task> met_;  ///< with the incumbent's plan, and with those before it
  std::map<Key, double> layer_ns_;
  pipeline::KnobBook incumbent_;
  double cost_ = 0;  ///< cost of the network with it
};

}  // namespace vdla::tune
