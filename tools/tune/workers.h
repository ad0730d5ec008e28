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
  using Work = std::function<explore::Json(const explore::Json& task)>;

  /// At most `jobs` processes, made when they are first needed; a task may take `limit_seconds` of wall time.
  Workers(unsigned jobs, double limit_seconds, Work work);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// In the order of the tasks: what `work` returned; {"status": "failed", "reason"} where it threw, where
  /// its process died, or where it took too long. UserError where no process can be made.
  std::vector<explore::Json> run(const std::vector<explore::Json>& tasks);

 private:
  struct Worker;

  void start(Worker& worker);
  void give(Worker& worker, std::size_t index, const explore::Json& task);
  /// What the worker says, or why it says nothing more; nothing while it is at work.
  std::optional<explore::Json> take(Worker& worker);

  const unsigned jobs_;
  const double limit_seconds_;
  const Work work_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace vdla::tune
