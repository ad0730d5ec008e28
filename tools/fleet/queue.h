// SPDX-License-Identifier: Apache-2.0
// Slurm's queue, by its commands, each with a limit in time: a controller that is away answers nothing.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace vdla::fleet {

/// The last of what a command printed, as one line.
std::string last_words(const std::string& text);

class Queue {
 public:
  /// Tasks here are those of jobs with this name. What they print goes into files of the folder. Each has
  /// `resources` of its node for itself ("board:1", sbatch's --gres; empty: none).
  Queue(std::string partition, std::string resources, std::string name, std::filesystem::path folder)
      : partition_(std::move(partition)),
        resources_(std::move(resources)),
        name_(std::move(name)),
        folder_(std::move(folder)) {}

  struct QueuedTask {
    std::string state;   ///< "PENDING", "RUNNING"
    std::string reason;  ///< why it is pending
  };

  struct Submission {
    std::optional<std::string> job = std::nullopt;  ///< nothing: it was not taken
    std::string words;                              ///< words of Slurm
    bool is_late = false;                           ///< neither taken nor refused: it may be there later
  };
  /// A job array of `tasks` tasks of one script, on other nodes than these. A task of it is called
  /// "JOB_INDEX".
  Submission submit(const std::filesystem::path& script, std::size_t tasks,
                    const std::vector<std::string>& without) const;
  /// All nodes of the partition that have such resources; nothing where the controller does not say.
  std::optional<std::vector<std::string>> nodes() const;
  /// Tasks in the queue; nothing where the controller does not say.
  std::optional<std::map<std::string, QueuedTask>> tasks() const;
  void cancel(const std::string& task) const;
  /// All; during an interrupt, too.
  void cancel_all() const;
  /// File of what the task printed so far.
  std::filesystem::path said_by(const std::string& task) const {
    return folder_ / (name_ + "." + task + ".out");
  }

 private:
  /// Name of that file with sbatch's names for the numbers of job and task, as --output takes it.
  std::string output_pattern() const;

  std::string partition_, resources_, name_;
  std::filesystem::path folder_;
};

/// Lets no more work go to the node, for any user: empty where Slurm does that for this user, else its words.
std::string drain(const std::string& node, const std::string& reason);

}  // namespace vdla::fleet
