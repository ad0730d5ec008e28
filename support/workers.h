// SPDX-License-Identifier: Apache-2.0
// Processes that work for this one: each takes tasks over a socket, one after the other, and is replaced when
// it crashes or when a task takes too long. Nothing that a task does ends this process; the workers end when
// it does.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace vdla {

class Workers {
 public:
  using Json = nlohmann::ordered_json;
  /// Does one task in a worker; `worker` counts from 0 to below `jobs`.
  using Work = std::function<Json(const Json& task, unsigned worker)>;
  /// Called with the last answer of a worker that gets no more tasks.
  using Lost = std::function<void(unsigned worker, const Json& answer)>;
  /// Called as soon as the answer to a task is there; an interrupt waits meanwhile.
  using Done = std::function<void(std::size_t task, const Json& answer)>;

  /// Events after which another process takes the place of a worker.
  enum class Renew : std::uint8_t {
    AfterCrash,
    AfterFailure,  ///< also a task that failed, which may have broken what the worker holds
    AfterTask,     ///< every task: global state is each one's own
  };

  static constexpr double kNoLimit = 1e6;  ///< seconds

  /// At most `jobs` processes, made when they are first needed; a task may take `limit_seconds` of wall time.
  Workers(unsigned jobs, double limit_seconds, Work work, Renew renew = Renew::AfterCrash, Lost lost = {});
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Returns in the order of the tasks what `work` returned, or {"status": "failed", "reason"} where it
  /// threw, where its process died, or where it took too long. A worker that returns {"status": "lost",
  /// "reason"} gets no more tasks, and another one does this one. An interrupt kills the workers. Throws
  /// UserError where no process can be made, or all are lost.
  std::vector<Json> run(const std::vector<Json>& tasks, const Done& done = {});

 private:
  struct Worker;

  void start(Worker& worker);
  void lose(Worker& worker, const Json& answer);
  void give(Worker& worker, std::size_t index, const Json& task);
  /// Returns the worker's answer, or why there will be none; nothing while it is at work.
  std::optional<Json> take(Worker& worker);
  bool is_to_renew(const Json& answer) const;

  const unsigned jobs_;
  const double limit_seconds_;
  const Work work_;
  const Renew renew_;
  const Lost lost_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace vdla
