// SPDX-License-Identifier: Apache-2.0
// Tuning for the device: the tasks of a network that is compiled for a variant, and cycles of the network
// with a book, timed by an engine in processes of their own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/options/options.h"
#include "compiler/pipeline/compile.h"
#include "compiler/tune/tuner.h"
#include "support/workers.h"
#include "tools/tune/log.h"
#include "tools/tune/plan_tasks.h"
#include "tools/tune/station.h"

namespace vdla::tune {

/// CompiledModel::moved_seconds in the variant's clock: what a trial's cost has beside the device's cycles,
/// which alone would have the whole network on the CPU.
double moved_cycles(const pipeline::CompiledModel& model);

/// A network on the SystemC engine, or on boards elsewhere. Values are not computed: cycles do not depend on
/// them.
class NetworkTuning {
 public:
  struct Options {
    std::string network = {};  ///< hash of the model, for the log
    std::string kit = {};      ///< hash of what compiles it: costs are its own
    unsigned jobs = 1;
    double limit_seconds = 60;  ///< for one trial
    std::string log = {};       ///< or empty
    /// Boards to measure on, by name, one for each job; none: engines of this machine.
    std::vector<std::string> fleet = {};
    /// One of them, in the process that is to use it.
    std::function<std::unique_ptr<Station>(std::size_t board)> board = {};
    /// Other machines in place of processes here: outcomes of the books, in their order. `check` is what the
    /// network takes with default knobs, which is measured here, or there where they have boards; nothing
    /// until that is known. None: processes here.
    std::function<std::vector<Outcome>(const std::vector<std::string>& books, std::optional<double> check)>
        elsewhere = {};
    /// Name of their boards in the log, whose costs are their own. Empty: they have engines like this one.
    std::string boards_elsewhere = {};
    /// Receives a board that is given up, with its last outcome. What was tried on it is tried on another.
    std::function<void(const std::string& board, const Outcome& outcome)> lost = {};
  };

  /// Keeps a reference to the graph.
  NetworkTuning(const graph::Graph& graph, const pipeline::CompileOptions& compile, const Options& options);

  /// Tasks by default: choices of the graph's plan, then layers, those of one task and context once; none
  /// where no layer that has knobs runs on the device.
  const std::vector<Task>& tasks() const { return tasks_; }
  const std::string& target() const { return target_; }
  /// Engine whose cycles were measured last.
  const std::string& engine() const { return engine_; }
  /// Trials that were run, those known from the log left out, and of them those without a cost.
  std::int64_t measured() const { return measured_; }
  std::int64_t failed() const { return failed_; }

  Tuned run(const TuneOptions& options);
  /// As run() costs it: known ones from the log.
  std::vector<Outcome> measure(const std::vector<pipeline::KnobBook>& books, std::uint64_t seed);
  /// The cycles among that.
  std::vector<std::optional<double>> costs(const std::vector<pipeline::KnobBook>& books, std::uint64_t seed);

 private:
  std::string key_of(const pipeline::KnobBook& book) const;
  void note_default(const pipeline::KnobBook& book, const Outcome& outcome);
  std::vector<Outcome> outcomes_of(const std::vector<const pipeline::KnobBook*>& books);
  Outcome trial(const std::string& book, unsigned worker);
  void take_engine(const Outcome& outcome);

  const graph::Graph& graph_;
  Options options_;
  pipeline::CompileOptions compile_;
  std::string target_, engine_ = "systemc";
  bool engine_known_ = false;
  std::vector<Task> tasks_;
  std::optional<PlanTasks> plans_;
  std::vector<Task> met_;  ///< tasks of all books that were tried
  TuneLog log_;
  std::optional<double> by_default_;  ///< cycles with default knobs
  std::unique_ptr<Station> place_;    ///< station of a process that measures
  Workers workers_;
  std::int64_t measured_ = 0, failed_ = 0;
};

/// Seconds of a trial on a board whose program may take `limit_seconds`.
double board_trial_seconds(double limit_seconds);

/// How vdla tune compiles for a variant.
pipeline::CompileOptions tuning_options(const isa::Variant& variant);

/// A search as a step of something else, without a log: the search that a user gets who names none. Nothing
/// where there is nothing to tune. `notes` gets what the user should know.
std::optional<Tuned> search_in_passing(const graph::Graph& graph, const pipeline::CompileOptions& compile,
                                       const NetworkTuning::Options& options, std::int64_t trials,
                                       std::vector<std::string>& notes);

}  // namespace vdla::tune
