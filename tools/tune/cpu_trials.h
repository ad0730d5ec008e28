// SPDX-License-Identifier: Apache-2.0
// Trials of a network on the CPU (cpu_trial.h), each in a process of its own or known from a log.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "compiler/graph/graph.h"
#include "compiler/pipeline/compile.h"
#include "compiler/tune/tuner.h"
#include "tools/tune/cpu_trial.h"
#include "tools/tune/log.h"
#include "tools/tune/workers.h"

namespace vdla::tune {

/// What was put into a book last.
const pipeline::KnobRecord& latest(const pipeline::KnobBook& book);

bool ended_well(const Outcome& outcome);
/// For certain.
bool is_faster(const Outcome& outcome);

class CpuTrials {
 public:
  struct Options {
    std::string network = {};  ///< hash of the model: what is known of its plan is of it alone
    std::string kit = {};      ///< hash of what compiles it
    unsigned threads = 1;
    double limit_seconds = 60;  ///< for one trial
    std::string log = {};       ///< or empty
    Stopwatch stopwatch = seconds_of;
  };

  /// Of one point of a layer, or of a choice.
  struct Trial {
    Task task;
    pipeline::KnobBook book, incumbent;
    bool duel = false;
  };

  /// Keeps a reference to the graph.
  CpuTrials(const graph::Graph& graph, const pipeline::CompileOptions& compile, const Options& options);

  const std::string& target() const { return target_; }
  /// Trials that were run, those known from the log left out, and of them those without a cost.
  std::int64_t measured() const { return measured_; }
  std::int64_t failed() const { return failed_; }

  /// As race_layer() and race_plan() say it.
  Outcome outcome_of(const Trial& trial, std::uint64_t seed);
  /// The whole network with a book against that with another one, as race_network() says it. Never from the
  /// log.
  Outcome duel(const pipeline::KnobBook& book, const pipeline::KnobBook& incumbent);

 private:
  /// In a process that measures.
  Outcome measured_of(const explore::Json& trial);
  std::string key_of(const Trial& trial) const;
  explore::Json record_of(const Trial& trial, const Outcome& outcome, std::uint64_t seed) const;

  const graph::Graph& graph_;
  Options options_;
  pipeline::CompileOptions compile_;
  std::string target_;
  TuneLog log_;
  /// Of a process that measures: the network with the incumbent's plan, and that.
  std::optional<pipeline::CompiledModel> model_;
  std::string model_plan_;
  Workers workers_;
  std::int64_t measured_ = 0, failed_ = 0;
};

}  // namespace vdla::tune
