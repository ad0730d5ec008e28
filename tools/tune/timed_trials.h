// SPDX-License-Identifier: Apache-2.0
// Trials on a machine that is timed, a CPU or a GPU: a layer, or the plan, with one book against that with
// another one, each in a process of its own or known from a log.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "compiler/tune/tuner.h"
#include "support/workers.h"
#include "tools/tune/log.h"
#include "tools/tune/trial_values.h"

namespace vdla::tune {

/// One network on one machine. What races runs in a process of its own.
struct LayerTrials {
  std::string target;     ///< as books have it
  std::string engine;     ///< as pipeline::BookMeasurement has it
  explore::Json machine;  ///< facts that times depend on besides, as the log has it: {"threads": 4}
  /// Tasks with a book's plan: choices of the plan, where the machine has some, then layers, those of one
  /// task and context once. None where the choices cannot be had together.
  std::function<const std::vector<Task>&(const pipeline::KnobBook& book)> tasks_with;
  /// The layer of a task and context, or the plan (pipeline::kPlanContext; with "raced": "functions" or
  /// "network"), with a book against that with another one: what outcome_of() says, or the "reason" why not.
  std::function<Outcome(const std::string& task, const std::string& context, const pipeline::KnobBook& book,
                        const pipeline::KnobBook& incumbent, Turns turns)>
      race;
  /// Trial of the whole network.
  std::function<Outcome(const pipeline::KnobBook& book, const pipeline::KnobBook& incumbent)> race_network;
  Workers::Renew renew = Workers::Renew::AfterCrash;
};

/// Record that was put into a book last.
const pipeline::KnobRecord& latest(const pipeline::KnobBook& book);

bool ended_well(const Outcome& outcome);
/// For certain.
bool is_faster(const Outcome& outcome);

class TimedTrials {
 public:
  struct Options {
    std::string network = {};   ///< hash of the model: what is known of its plan is of it alone
    std::string kit = {};       ///< hash of what compiles it
    double limit_seconds = 60;  ///< for one trial
    std::string log = {};       ///< or empty
  };

  /// Trial of one point of a layer, or of a choice.
  struct Trial {
    Task task;
    pipeline::KnobBook book, incumbent;
    bool duel = false;
  };

  TimedTrials(LayerTrials trials, const Options& options);

  const LayerTrials& machine() const { return trials_; }
  /// Trials that were run, those known from the log left out, and of them those without a cost.
  std::int64_t measured() const { return measured_; }
  std::int64_t failed() const { return failed_; }

  Outcome outcome_of(const Trial& trial, std::uint64_t seed);
  /// The whole network with a book against that with another one. Never from the log.
  Outcome duel(const pipeline::KnobBook& book, const pipeline::KnobBook& incumbent);

 private:
  /// Measures a trial, in a process for that.
  Outcome measured_of(const explore::Json& trial) const;
  std::string key_of(const Trial& trial) const;
  explore::Json record_of(const Trial& trial, const Outcome& outcome, std::uint64_t seed) const;

  LayerTrials trials_;
  Options options_;
  TuneLog log_;
  Workers workers_;
  std::int64_t measured_ = 0, failed_ = 0;
};

}  // namespace vdla::tune
