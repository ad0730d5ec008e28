// SPDX-License-Identifier: Apache-2.0
// Work for the nodes of a Slurm cluster, in batches as tasks of job arrays. Files are the truth and the queue
// is a hint: a batch is done when its result is there, and one that has none and is not in the queue any more
// is submitted again. So whatever happens to nodes, workers and the controller costs time and nothing else.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tools/fleet/batch.h"

namespace vdla::fleet {

struct SlurmOptions {
  std::string partition;
  unsigned tasks = 8;  ///< batches at once, at most
  /// Resources of a node that a task has for itself, as sbatch's --gres: "board:1"; or none.
  std::string resources;
  /// Paths that all nodes have under these names: a folder for batches and their results, and `vdla`.
  std::filesystem::path folder, vdla;
  std::size_t least = 1;       ///< items of a batch, where there are enough
  double limit_seconds = 600;  ///< for an item; the worker holds it, this is for workers that hang
  std::function<void(const std::string&)> say;  ///< receives what a user should know
};

/// "slurm:PARTITION" or "slurm:PARTITION:TASKS"; UserError for anything else that begins with "slurm:".
bool is_slurm(const std::string& fleet);
SlurmOptions slurm_options(const std::string& fleet);

class Slurm {
 public:
  explicit Slurm(SlurmOptions options);
  ~Slurm();
  Slurm(const Slurm&) = delete;
  Slurm& operator=(const Slurm&) = delete;

  using Arrived = std::function<void(std::size_t item, const Json& answer)>;
  /// UserError where a file that nodes compare theirs with is another one by now.
  using Unchanged = std::function<void()>;
  /// Each item's answer once, in any order. UserError where Slurm takes nothing, and where a batch comes back
  /// again and again without a result; no task stays in the queue then. Results that a killed run of the same
  /// work left are taken. `unchanged` is asked before a node is lost: the fault may be here.
  void run(const Batch& work, const Arrived& arrived, const Unchanged& unchanged);

  struct LostNode {
    std::string node, reason;
  };
  /// Nodes that said that they cannot be used. They get no more work; those that differ are drained where
  /// this user may.
  const std::vector<LostNode>& lost() const { return lost_; }

 private:
  class Run;

  std::vector<std::string> lost_nodes() const;
  /// UserError where all of these are lost: waiting helps nothing then.
  void require_one_of(const std::vector<std::string>& nodes) const;
  /// A node that cannot be used gets no more of this work. Where it differs and this user may say so, it gets
  /// no work at all: a trial that crashes or is late may be the network's fault.
  void lose(const BatchResult& result, const Unchanged& unchanged);

  SlurmOptions options_;
  std::vector<LostNode> lost_;
  bool submitted_ = false;  ///< Slurm has taken something: it may be down for a while
};

}  // namespace vdla::fleet
