// SPDX-License-Identifier: Apache-2.0
// Where the tuner meets the CPU: the layers of a network that have knobs there, and what each point of a
// layer costs. Times carry noise: a candidate runs in turns with what the best book has, in a process of its
// own, and counts as better only where the interval of its ratio lies below 1, twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/pipeline/compile.h"
#include "compiler/tune/tuner.h"
#include "tools/tune/cpu_trial.h"
#include "tools/tune/log.h"
#include "tools/tune/workers.h"

namespace vdla::tune {

/// A network on the CPU alone. Layers do not overlap there: its cost is the sum of theirs, in nanoseconds.
class CpuTuning {
 public:
  struct Options {
    std::string kit = {};  ///< hash of what compiles it
    unsigned threads = 1;
    double limit_seconds = 60;  ///< for one trial
    std::string log = {};       ///< or empty
    Stopwatch stopwatch = seconds_of;
  };

  /// Keeps a reference to the graph.
  CpuTuning(const graph::Graph& graph, const pipeline::CompileOptions& compile, const Options& options);

  /// Layers, those of one task and context once; none where no template with knobs takes one.
  const std::vector<Task>& tasks() const { return tasks_; }
  const std::string& target() const { return target_; }
  /// Trials that were run, those known from the log left out, and of them those without a cost.
  std::int64_t measured() const { return measured_; }
  std::int64_t failed() const { return failed_; }

  Tuned run(TuneOptions options);
  /// The whole network with a book against that with another one, as race_network() says it. Never from the
  /// log.
  Outcome duel(const pipeline::KnobBook& book, const pipeline::KnobBook& incumbent);

 private:
  struct Layer {
    std::size_t step;
    double ns = 0;  ///< of one, with the incumbent's knobs
  };
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
  /// Of the network with a layer that takes `ratio` of its time.
  double cost_with(std::size_t task, double ratio) const;
  std::size_t index_of(const std::string& task, const std::string& context) const;
  std::string knobs_of(const pipeline::KnobBook& book, std::size_t task) const;

  const graph::Graph& graph_;
  Options options_;
  pipeline::CompileOptions compile_;
  std::string target_;
  pipeline::CompiledModel model_;
  std::vector<Task> tasks_;
  std::vector<Layer> layers_;  ///< by task
  pipeline::KnobBook incumbent_;
  double cost_ = 0;  ///< of the network with it
  TuneLog log_;
  Workers workers_;
  std::int64_t measured_ = 0, failed_ = 0;
};

}  // namespace vdla::tune
