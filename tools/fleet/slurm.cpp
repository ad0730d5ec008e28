// SPDX-License-Identifier: Apache-2.0
#include "tools/fleet/slurm.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <set>
#include <thread>

#include "kit/files.h"
#include "support/error.h"
#include "support/json_dump.h"
#include "support/output_file.h"
#include "support/output_folder.h"
#include "support/path.h"
#include "support/shell_word.h"
#include "tools/explore/hash.h"
#include "tools/fleet/queue.h"

namespace vdla::fleet {
namespace {

namespace fs = std::filesystem;
using explore::content_hash;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr std::string_view kPrefix = "slurm:";
constexpr unsigned kMostTasks = 64;       // so that what squeue says of them fits what is kept of it
constexpr double kPollSeconds = 0.1;      // between looks at files
constexpr double kQueueSeconds = 1;       // between questions to the controller
constexpr double kGraceSeconds = 3;       // for a file system to show what another node has written
constexpr double kPatienceSeconds = 300;  // with a controller that takes nothing
constexpr double kFirstPauseSeconds = 2;  // after a refusal; the next one is twice as long
constexpr double kMostPauseSeconds = 30;
constexpr double kWaitingSeconds = 20;  // until a note says why nothing begins
constexpr double kWorkerSeconds = 120;  // time of a worker besides its items
constexpr int kMostSubmissions = 6;     // submissions of a batch

double since(Clock::time_point begin) { return Seconds(Clock::now() - begin).count(); }

/// A batch of the work.
struct Part {
  std::size_t from = 0, count = 0;
  std::string name;  ///< name by content: the same work has the same files
  bool done = false;
  int submissions = 0;
  std::string task = {};                           ///< "JOB_INDEX"; empty: Slurm is not to have it
  std::optional<Clock::time_point> gone, running;  ///< since then not in the queue; at work
};

Batch items_of(const Batch& work, const Part& part) {
  const auto at = work.items.begin() + static_cast<std::ptrdiff_t>(part.from);
  return {work.kind, work.kit, work.head, {at, at + static_cast<std::ptrdiff_t>(part.count)}};
}

std::vector<Part> parts_of(const Batch& work, const SlurmOptions& options) {
  const std::size_t count = work.items.size();
  const std::size_t size =
      std::max<std::size_t>({1, options.least, (count + options.tasks - 1) / options.tasks});
  std::vector<Part> parts;
  for (std::size_t from = 0; from < count; from += size) {
    Part part;
    part.from = from;
    part.count = std::min(size, count - from);
    std::string text = work.kind + work.kit + json_dump(work.head);
    for (const Json& item : items_of(work, part).items) text += "\n" + json_dump(item);
    part.name = content_hash(text);
    parts.push_back(std::move(part));
  }
  return parts;
}

/// Removes one that a killed run left and that has no answers.
void remove_idle_result(const fs::path& file, std::size_t items) {
  std::error_code none;
  if (!fs::exists(file, none)) return;
  try {
    if (read_result(file, items).lost.empty()) return;
  } catch (const UserError&) {  // the work is done again, in place of it
  }
  fs::remove(file, none);
}

/// Why no task is at work, once for each reason.
class Waiting {
 public:
  /// The reason at this time; empty: a task is at work.
  bool is_news(const std::string& reason) {
    if (reason.empty()) {
      begun_.reset();
      return false;
    }
    if (!begun_) begun_ = Clock::now();
    if (since(*begun_) < kWaitingSeconds || said_ == reason) return false;
    said_ = reason;
    return true;
  }

 private:
  std::optional<Clock::time_point> begun_;
  std::string said_;
};

/// The task of each index has one of these files, without endings.
std::string script_for(const std::vector<fs::path>& files, const fs::path& vdla) {
  std::string list;
  for (const fs::path& file : files) list += " " + shell_word(file.string());
  return fmt::format(
      "#!/bin/sh\nset --{}\nshift \"$SLURM_ARRAY_TASK_ID\"\n"
      "exec {} batch \"$1.json\" -o \"$1.result.json\" --node \"$SLURMD_NODENAME\"\n",
      list, shell_word(vdla.string()));
}

}  // namespace

bool is_slurm(const std::string& fleet) { return fleet.starts_with(kPrefix); }

SlurmOptions slurm_options(const std::string& fleet) {
  const std::string text = fleet.substr(kPrefix.size());
  const auto colon = text.find(':');
  SlurmOptions options;
  options.partition = text.substr(0, colon);
  constexpr std::string_view kNames = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.,";
  VDLA_CHECK_USER(!options.partition.empty() &&
                  options.partition.find_first_not_of(kNames) == std::string::npos)
      << "'" << fleet << "' needs slurm:PARTITION or slurm:PARTITION:TASKS";
  if (colon == std::string::npos) return options;
  const std::string tasks = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(tasks.data(), tasks.data() + tasks.size(), options.tasks);
  VDLA_CHECK_USER(error == std::errc() && end == tasks.data() + tasks.size() && options.tasks >= 1 &&
                  options.tasks <= kMostTasks)
      << "'" << fleet << "' says '" << tasks << "' tasks at once, needs 1 to " << kMostTasks;
  return options;
}

Slurm::Slurm(SlurmOptions options) : options_(std::move(options)) {
  options_.folder = absolute_path(options_.folder);
  VDLA_CHECK_USER(options_.folder.string().find('\\') == std::string::npos)
      << "--fleet: folder " << options_.folder.string()
      << " has a backslash in its name, at which Slurm takes names of files in another way; take a folder "
         "without one";
}

Slurm::~Slurm() {
  std::error_code none;
  fs::remove(options_.folder, none);  // unless something is in it
}

std::vector<std::string> Slurm::lost_nodes() const {
  std::vector<std::string> names;
  for (const LostNode& lost : lost_) names.push_back(lost.node);
  return names;
}

void Slurm::lose(const BatchResult& result, const Unchanged& unchanged) {
  if (std::ranges::find(lost_, result.node, &LostNode::node) != lost_.end()) return;
  unchanged();
  lost_.push_back({result.node, result.lost});
  std::string drained;
  if (result.differs) {
    const std::string refusal = drain(result.node, result.lost);
    drained = refusal.empty() ? ", and is drained" : ", and was not drained (" + refusal + ")";
  }
  options_.say(fmt::format("node {}: {}; it gets no more of this work{}", result.node, result.lost, drained));
}

void Slurm::require_one_of(const std::vector<std::string>& nodes) const {
  std::string reasons;
  for (const std::string& node : nodes) {
    const auto lost = std::ranges::find(lost_, node, &LostNode::node);
    if (lost == lost_.end()) return;
    reasons += fmt::format("\n  {}: {}", node, lost->reason);
  }
  VDLA_CHECK_USER(nodes.empty()) << "--fleet slurm:" << options_.partition
                                 << ": no node of the partition can be used:" << reasons;
}

/// One piece of work until all of it is back.
class Slurm::Run {
 public:
  Run(Slurm& slurm, const Batch& work, const Arrived& arrived, const Unchanged& unchanged)
      : slurm_(slurm),
        options_(slurm.options_),
        arrived_(arrived),
        unchanged_(unchanged),
        name_(fmt::format("vdla-{}-{}", getpid(), content_hash(options_.folder.string()).substr(0, 8))),
        queue_(options_.partition, options_.resources, name_, options_.folder) {
    for (Part& part : parts_of(work, options_)) {
      write_batch(batch_of(part), items_of(work, part));
      remove_idle_result(result_of(part), part.count);
      parts_.push_back(std::move(part));
    }
  }

  ~Run() {
    std::error_code none;
    for (Part& part : parts_) {
      forget_task(part);
      fs::remove(batch_of(part), none);
    }
    fs::remove(script(), none);
  }

  void until_all_are_back() {
    const OnInterrupt cancels(Uninterrupted(), [this](const Uninterrupted&) {
      queue_.cancel_all();
      return std::string();
    });
    try {
      wait_for_all();
    } catch (...) {
      queue_.cancel_all();
      throw;
    }
    if (again_) queue_.cancel_all();  // tasks that were taken for gone may be there
  }

 private:
  void wait_for_all() {
    Clock::time_point asked = Clock::now();
    while (take_results()) {
      submit();
      std::this_thread::sleep_for(Seconds(kPollSeconds));
      if (since(asked) < kQueueSeconds) continue;
      look_at_queue();
      asked = Clock::now();
    }
  }

  fs::path batch_of(const Part& part) const { return options_.folder / (part.name + ".json"); }
  fs::path result_of(const Part& part) const { return options_.folder / (part.name + ".result.json"); }
  fs::path script() const { return options_.folder / (name_ + ".sh"); }

  /// The task is at its end, or is not waited for.
  void forget_task(Part& part) const {
    std::error_code none;
    if (!part.task.empty()) fs::remove(queue_.said_by(part.task), none);
    part.task.clear();
  }

  /// Names by a look at the whole folder: a network file system remembers for a while that a name was not
  /// there.
  std::set<fs::path> files() const {
    const std::vector<fs::path> all = entries_of(options_.folder);
    return {all.begin(), all.end()};
  }

  /// False: all are back.
  bool take_results() {
    bool open = false;
    const std::set<fs::path> there = files();
    for (Part& part : parts_) {
      if (part.done) continue;
      open = true;
      if (there.contains(result_of(part))) take(part);
    }
    return open;
  }

  void take(Part& part) {
    const BatchResult result = read_result(result_of(part), part.count);
    if (result.lost.empty()) {
      for (std::size_t i = 0; i < part.count; ++i) arrived_(part.from + i, result.answers[i]);
      part.done = true;
    } else {
      slurm_.lose(result, unchanged_);
      part.submissions = 0;  // it has never been tried
    }
    std::error_code none;
    fs::remove(result_of(part), none);
    forget_task(part);
  }

  void submit() {
    if (refused_ && since(tried_) < pause_) return;
    std::vector<Part*> parts;
    for (Part& part : parts_)
      if (!part.done && part.task.empty()) parts.push_back(&part);
    if (parts.empty()) return;
    std::vector<fs::path> files;
    for (const Part* part : parts) {
      VDLA_CHECK_USER(part->submissions < kMostSubmissions)
          << "--fleet: a batch of " << part->count << " came back " << kMostSubmissions
          << " times without a result" << (words_.empty() ? "" : "; a task said: " + words_)
          << "; the same command goes on from here";
      files.push_back(options_.folder / part->name);
    }
    write_output(script().string(), script_for(files, options_.vdla));
    const Queue::Submission submission = queue_.submit(script(), parts.size(), slurm_.lost_nodes());
    if (!submission.job) return refused(submission);
    refused_.reset();
    slurm_.submitted_ = true;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      again_ = again_ || parts[i]->submissions > 0;
      ++parts[i]->submissions;
      parts[i]->task = fmt::format("{}_{}", *submission.job, i);
      parts[i]->gone.reset();
      parts[i]->running.reset();
    }
  }

  /// A controller that has taken work before may be down for a while, and one that is late has refused
  /// nothing. It is asked less and less often.
  void refused(const Queue::Submission& submission) {
    if (const auto nodes = queue_.nodes()) slurm_.require_one_of(*nodes);
    again_ = true;  // an sbatch that was too late may have submitted
    std::string words = submission.words.empty() ? "it is not there, or says nothing" : submission.words;
    if (!slurm_.lost_.empty())
      words += fmt::format("; nodes left out: {}", fmt::join(slurm_.lost_nodes(), ", "));
    tried_ = Clock::now();
    if (!refused_) {
      refused_ = tried_;
      pause_ = kFirstPauseSeconds;
      if (slurm_.submitted_ || submission.is_late) options_.say("sbatch: " + words + "; trying on");
    } else {
      pause_ = std::min(2 * pause_, kMostPauseSeconds);
    }
    VDLA_CHECK_USER((slurm_.submitted_ || submission.is_late) && since(*refused_) < kPatienceSeconds)
        << "--fleet slurm:" << options_.partition << ": sbatch takes nothing: " << words;
  }

  void look_at_queue() {
    const auto tasks = queue_.tasks();
    if (!tasks) return;  // files come without the controller, too
    bool all_wait = true;
    std::string reason;
    for (Part& part : parts_) {
      if (part.done || part.task.empty()) continue;
      const auto found = tasks->find(part.task);
      if (found == tasks->end()) {
        look_for(part);
      } else if (found->second.state == "PENDING") {
        reason = found->second.reason;
      } else {
        all_wait = false;
        look_at(part);
      }
    }
    if (waiting_.is_news(all_wait ? reason : "")) options_.say("Slurm starts none of the tasks: " + reason);
  }

  /// Not in the queue any more.
  void look_for(Part& part) {
    if (!part.gone) part.gone = Clock::now();
    if (since(*part.gone) < kGraceSeconds) return;
    std::error_code none;
    if (fs::exists(queue_.said_by(part.task), none))
      words_ = last_words(kit::read_text(queue_.said_by(part.task)));
    forget_task(part);
  }

  void look_at(Part& part) {
    part.gone.reset();
    if (!part.running) part.running = Clock::now();
    const double most = static_cast<double>(part.count) * options_.limit_seconds + kWorkerSeconds;
    if (since(*part.running) < most) return;
    options_.say(fmt::format("task {} takes more than {:.0f} s; it is cancelled, and its work goes elsewhere",
                             part.task, most));
    queue_.cancel(part.task);
    forget_task(part);
  }

  Slurm& slurm_;
  const SlurmOptions& options_;
  const Arrived& arrived_;
  const Unchanged& unchanged_;
  const std::string name_;
  const Queue queue_;
  std::vector<Part> parts_;
  std::string words_;                         ///< words of the last task that ended without a result
  std::optional<Clock::time_point> refused_;  ///< since then the controller takes nothing
  Clock::time_point tried_;                   ///< the last time; the next one is `pause_` seconds later
  double pause_ = 0;
  Waiting waiting_;
  bool again_ = false;  ///< something was submitted more than once
};

void Slurm::run(const Batch& work, const Arrived& arrived, const Unchanged& unchanged) {
  if (work.items.empty()) return;
  const NewFolder made(options_.folder);
  Run(*this, work, arrived, unchanged).until_all_are_back();
}

}  // namespace vdla::fleet
