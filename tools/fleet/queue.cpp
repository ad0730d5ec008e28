// SPDX-License-Identifier: Apache-2.0
#include "tools/fleet/queue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sstream>

#include "support/child_process.h"

namespace vdla::fleet {
namespace {

constexpr double kCommandSeconds = 10;
constexpr std::size_t kWords = 400;  // words that a message quotes

/// A line of digits alone, as sbatch --parsable prints it; ";CLUSTER" may follow.
std::optional<std::string> job_in(const std::string& text) {
  std::istringstream lines(text);
  std::optional<std::string> job;
  for (std::string line; std::getline(lines, line);) {
    line = line.substr(0, line.find(';'));
    if (!line.empty() && line.find_first_not_of("0123456789") == std::string::npos) job = line;
  }
  return job;
}

CommandOutcome slurm_command(const std::vector<std::string>& words) {
  return run_command(words, {}, kCommandSeconds);
}

}  // namespace

std::string last_words(const std::string& text) {
  std::string words;
  for (const char c : text) words += c == '\n' || c == '\r' ? ' ' : c;
  const auto end = words.find_last_not_of(' ');
  words.erase(end == std::string::npos ? 0 : end + 1);
  return words.size() > kWords ? "..." + words.substr(words.size() - kWords) : words;
}

/// Slurm replaces what follows a '%', in names of folders, too; "%%" stands for one.
std::string Queue::output_pattern() const {
  std::string folder;
  for (const char c : folder_.string()) folder += c == '%' ? "%%" : std::string(1, c);
  return folder + "/" + said_by("%A_%a").filename().string();
}

Queue::Submission Queue::submit(const std::filesystem::path& script, std::size_t tasks,
                                const std::vector<std::string>& without) const {
  std::vector<std::string> command{"sbatch", "--parsable", "--partition=" + partition_,
                                   "--job-name=" + name_};
  // Slurm's own requeue waits for two minutes.
  for (const char* word : {"--no-requeue", "--nodes=1", "--ntasks=1"}) command.emplace_back(word);
  command.push_back(fmt::format("--array=0-{}", tasks - 1));
  if (!resources_.empty()) command.push_back("--gres=" + resources_);
  command.push_back("--output=" + output_pattern());
  command.push_back("--chdir=" + folder_.string());
  if (!without.empty()) command.push_back(fmt::format("--exclude={}", fmt::join(without, ",")));
  command.push_back(script.string());
  const CommandOutcome outcome = slurm_command(command);
  Submission result{outcome.status == 0 ? job_in(outcome.tail) : std::nullopt, last_words(outcome.tail)};
  if (outcome.late) result.words = fmt::format("it takes more than {} s", kCommandSeconds);
  // The controller's own limit: "Socket timed out on send/recv operation".
  result.is_late = outcome.late || result.words.find("timed out") != std::string::npos;
  return result;
}

std::optional<std::vector<std::string>> Queue::nodes() const {
  const CommandOutcome outcome =
      slurm_command({"sinfo", "--noheader", "--Node", "--partition=" + partition_, "--format=%N %G"});
  if (outcome.status != 0 || outcome.late) return std::nullopt;
  std::vector<std::string> names;
  std::istringstream lines(outcome.tail);
  const std::string kind = resources_.substr(0, resources_.find(':'));
  for (std::string name, has; lines >> name && std::getline(lines, has);)
    if (has.find(kind) != std::string::npos) names.push_back(name);
  return names;
}

std::optional<std::map<std::string, Queue::QueuedTask>> Queue::tasks() const {
  // Cancels by name: a job that the controller does not know any more is no error then. The kept part of a
  // command's output has room for the lines of the most tasks that there may be.
  const CommandOutcome outcome =
      slurm_command({"squeue", "--noheader", "--array", "--name=" + name_, "--format=%F_%K %T %.24r"});
  if (outcome.status != 0 || outcome.late) return std::nullopt;
  std::map<std::string, QueuedTask> found;
  std::istringstream lines(outcome.tail);
  for (std::string task, state; lines >> task >> state;) {
    found[task].state = state;
    std::getline(lines >> std::ws, found[task].reason);
  }
  return found;
}

void Queue::cancel(const std::string& task) const { slurm_command({"scancel", task}); }

/// Not by run_command(), which an interrupt holds up.
void Queue::cancel_all() const {
  std::string program = "scancel", quiet = "--quiet", name = "--name=" + name_;
  const std::vector<char*> words{program.data(), quiet.data(), name.data(), nullptr};
  pid_t pid = 0;
  if (posix_spawnp(&pid, program.c_str(), nullptr, nullptr, words.data(), environ) == 0)
    waitpid(pid, nullptr, 0);
}

std::string drain(const std::string& node, const std::string& reason) {
  const CommandOutcome outcome =
      slurm_command({"scontrol", "update", "nodename=" + node, "state=drain", "reason=vdla: " + reason});
  if (outcome.status == 0) return "";
  return outcome.tail.empty() ? "scontrol says nothing" : last_words(outcome.tail);
}

}  // namespace vdla::fleet
