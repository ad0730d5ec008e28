// SPDX-License-Identifier: Apache-2.0
// Where the tuner meets a machine that is timed, a CPU or a GPU: the layers of a network that have knobs
// there, and what each point of a layer costs. Times carry noise: a candidate runs in turns with what the
// best book has, in a process of its own, and counts as better only where the interval of its ratio lies
// below 1, twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/pipeline/knobs/task.h"
#include "compiler/tune/tuner.h"
#include "tools/tune/log.h"
#include "tools/tune/trial_values.h"
#include "tools/tune/workers.h"

namespace vdla::tune {

/// The layers of one network on one machine. What races runs in a process of its own.
struct LayerTrials {
  std::string target;       ///< as books have it
  std::string engine;       ///< as pipeline::BookMeasurement has it
  explore::Json machine;    ///< what times depend on besides, as the log has it: {"threads": 4}
  std::vector<Task> tasks;  ///< layers, those of one task and context once
  /// One of them with a book against that with another one: what outcome_of() says, or the "reason" why not.
  std::function<Outcome(std::size_t task, const pipeline::KnobBook& book, const pipeline::KnobBook& incumbent,
                        Turns turns)>
      race_layer;
  /// The same of the whole network.
  std::function<Outcome(const pipeline::KnobBook& book, const pipeline::KnobBook& incumbent)> race_network;
  Workers::AfterFailure after_failure = Workers::AfterFailure::Keep;

  /// Takes a layer of the network; of those that are alike, the first. Whether it was that.
  bool add(const pipeline::KnobTask& task);
};

/// Layers do not overlap: the cost of a network is the sum of theirs, in nanoseconds.
class LayerTuning {
 public:
  struct Options {
    std::string kit = {};       ///< hash of what compiles it
    double limit_seconds = 60;  ///< for one trial
    std::string log = {};       ///< or empty
  };

  LayerTuning(LayerTrials trials, const Options& options);

  /// None where no template with knobs takes a layer.
  const std::vector<Task>& tasks() const { return trials_.tasks; }
  const LayerTrials& trials() const { return trials_; }
  /// Trials that were run, those known from the log left out, and of them those without a cost.
  std::int64_t measured() const { return measured_; }
  std::int64_t failed() const { return failed_; }

  Tuned run(TuneOptions options);
  /// The whole network with a book against that with another one. Never from the log.
  Outcome duel(const pipeline::KnobBook& book, const pipeline::KnobBook& incumbent);

 private:
  /// A layer's trial of one point.
  struct Trial {
    std::size_t task;
    pipeline::KnobBook book;  ///< the candidate's
    bool duel = false;
  };

  /// For each book, which differs from the incumbent in its latest record.
  std::vector<std::optional<double>> costs(const std::vector<pipeline::KnobBook>& books, std::uint64_t seed);
  std::optional<double> cost_by_default(std::uint64_t seed);
  std::vector<Outcome> outcomes(const std::vector<Trial>& trials, std::uint64_t seed);
  explore::Json record_of(const Trial& trial, const Outcome& outcome, std::uint64_t seed) const;
  /// Of the network with a layer that takes `ratio` of its time.
  double cost_with(std::size_t task, double ratio) const;
  std::size_t index_of(const std::string& task, const std::string& context) const;
  std::string knobs_of(const pipeline::KnobBook& book, std::size_t task) const;

  LayerTrials trials_;
  Options options_;
  std::vector<double> ns_;  ///< of a layer with the incumbent's knobs, by task
  pipeline::KnobBook incumbent_;
  double cost_ = 0;  ///< of the network with it
  TuneLog log_;
  Workers workers_;
  std::int64_t measured_ = 0, failed_ = 0;
};

}  // namespace vdla::tune
