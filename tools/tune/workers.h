// SPDX-License-Identifier: Apache-2.0
// Processes that live as long as they answer: each takes tasks over a socket, one after the other, and is
// replaced when it crashes or when a task takes too long. Nothing that a task does ends this process.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "tools/explore/json.h"

namespace vdla::tune {

class Workers {
 public:
  /// `worker` counts from 0 to below `jobs`.
  using Work = std::function<explore::Json(const explore::Json& task, unsigned worker)>;
  /// Receives a worker that does no more, and its last answer.
  using Lost = std::function<void(unsigned worker, const explore::Json& answer)>;

  /// Fate of a process whose task failed.
  enum class AfterFailure : unsigned char {
    Keep,
    Renew,  ///< its state may be broken: another one does the next task
  };

  /// At most `jobs` processes, made when they are first needed; a task may take `limit_seconds` of wall time.
  Workers(unsigned jobs, double limit_seconds, Work work, Lost lost = {},
          AfterFailure after_failure = AfterFailure::Keep);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Results of `work` in the order of the tasks; {"status": "failed", "reason"} where it threw, where its
  /// process died, or where it took too long. A worker that returns {"status": "lost", "reason"} gets no more
  /// tasks, and another one does this one. UserError where no process can be made, or all are lost.
  std::vector<explore::Json> run(const std::vector<explore::Json>& tasks);

 private:
  struct Worker;

  void start(Worker& worker);
  void lose(Worker& worker, const explore::Json& answer);
  void give(Worker& worker, std::size_t index, const explore::Json& task);
  /// Message of the worker, or why it says nothing more; nothing while it is at work.
  std::optional<explore::Json> take(Worker& worker);

  const unsigned jobs_;
  const double limit_seconds_;
  const Work work_;
  const Lost lost_;
  const AfterFailure after_failure_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace vdla::tune
