// SPDX-License-Identifier: Apache-2.0
#include "support/workers.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <deque>
#include <numeric>
#include <optional>
#include <utility>

#include "support/child_process.h"
#include "support/error.h"
#include "support/json_dump.h"

namespace vdla {
namespace {

using Json = Workers::Json;
using Clock = std::chrono::steady_clock;

Json failed_task(const std::string& reason) { return {{"status", "failed"}, {"reason", reason}}; }

/// False: the other end is closed.
bool send_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const auto bytes = send(fd, text.data(), text.size(), MSG_NOSIGNAL);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(bytes));
  }
  return true;
}

/// Up to and without a line's end; nothing at the end of the file.
std::optional<std::string> read_line(int fd, std::string& buffer) {
  for (;;) {
    if (const auto end = buffer.find('\n'); end != std::string::npos) {
      std::string line = buffer.substr(0, end);
      buffer.erase(0, end + 1);
      return line;
    }
    std::array<char, 4096> part{};
    const auto bytes = read(fd, part.data(), part.size());
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return std::nullopt;
    buffer.append(part.data(), static_cast<std::size_t>(bytes));
  }
}

/// Answers tasks in the worker until this process closes its end.
[[noreturn]] void serve(const Workers::Work& work, unsigned worker, int link) {
  std::string buffer;
  while (const auto line = read_line(link, buffer)) {
    Json answer;
    try {
      answer = work(Json::parse(*line), worker);
    } catch (const std::exception& e) {
      answer = failed_task(e.what());
    }
    if (!send_all(link, json_dump(answer) + "\n")) break;
  }
  _exit(0);
}

}  // namespace

struct Workers::Worker {
  explicit Worker(unsigned worker) : number(worker) {}

  const unsigned number;
  std::string lost;  ///< why it gets no more tasks; empty: it does
  pid_t pid = 0;
  int link = -1;  ///< this process's end
  std::string buffer;
  std::optional<std::size_t> busy;  ///< index of its task
  Clock::time_point until;

  ~Worker() { end(Uninterrupted()); }

  void end(const Uninterrupted&) {
    if (pid == 0) return;
    close(link);
    kill(pid, SIGKILL);
    while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) continue;
    pid = 0;
    buffer.clear();
  }

  /// Says what ended the process, which has closed its end, and frees its place.
  std::string last_words(const Uninterrupted& held) {
    siginfo_t how{};
    while (waitid(P_PID, static_cast<id_t>(pid), &how, WEXITED | WNOWAIT) != 0 && errno == EINTR) continue;
    end(held);
    if (how.si_code == CLD_EXITED) return fmt::format("its process ended with status {}", how.si_status);
    return fmt::format("its process was ended by signal {} ({})", how.si_status, strsignal(how.si_status));
  }
};

Workers::Workers(unsigned jobs, double limit_seconds, Work work, Renew renew, Lost lost)
    : jobs_(std::max(1u, jobs)),
      limit_seconds_(limit_seconds),
      work_(std::move(work)),
      renew_(renew),
      lost_(std::move(lost)) {
  for (unsigned i = 0; i < jobs_; ++i) workers_.push_back(std::make_unique<Worker>(i));
}

Workers::~Workers() = default;

void Workers::start(Worker& worker) {
  std::array<int, 2> ends{};
  VDLA_CHECK_USER(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0)
      << "no socket to a worker process: " << std::strerror(errno) << "; give fewer --jobs";
  std::fflush(nullptr);  // so that the child has nothing to write twice
  Uninterrupted held;
  const pid_t parent = getpid();
  const pid_t pid = fork();
  VDLA_CHECK_USER(pid >= 0) << "no worker process: " << std::strerror(errno) << "; give fewer --jobs";
  if (pid == 0) {
    begin_child(held, parent);
    close(ends[0]);
    for (const auto& other : workers_)
      if (other->pid != 0) close(other->link);
    serve(work_, worker.number, ends[1]);
  }
  close(ends[1]);
  worker.pid = pid;
  worker.link = ends[0];
}

void Workers::give(Worker& worker, std::size_t index, const Json& task) {
  if (worker.pid == 0) start(worker);
  worker.busy = index;
  worker.until = Clock::now() +
                 std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limit_seconds_));
  // A worker that died meanwhile says so when it is asked for its answer.
  send_all(worker.link, json_dump(task) + "\n");
}

std::optional<Json> Workers::take(Worker& worker) {
  const Uninterrupted held;
  if (Clock::now() >= worker.until) {
    worker.end(held);
    return failed_task(fmt::format("it took more than {} s", limit_seconds_));
  }
  pollfd ready{worker.link, POLLIN, 0};
  if (poll(&ready, 1, 0) <= 0) return std::nullopt;
  std::array<char, 4096> part{};
  const auto bytes = read(worker.link, part.data(), part.size());
  if (bytes < 0 && errno == EINTR) return std::nullopt;
  if (bytes <= 0) return failed_task(worker.last_words(held));
  worker.buffer.append(part.data(), static_cast<std::size_t>(bytes));
  const auto end = worker.buffer.find('\n');
  if (end == std::string::npos) return std::nullopt;
  Json answer = Json::parse(worker.buffer.substr(0, end));
  worker.buffer.erase(0, end + 1);
  if (is_to_renew(answer)) worker.end(held);
  return answer;
}

bool Workers::is_to_renew(const Json& answer) const {
  if (renew_ == Renew::AfterTask) return true;
  return renew_ == Renew::AfterFailure && answer.is_object() && answer.value("status", "") == "failed";
}

void Workers::lose(Worker& worker, const Json& answer) {
  worker.end(Uninterrupted());
  worker.lost = answer.at("reason");
  if (lost_) lost_(worker.number, answer);
  VDLA_CHECK_USER(std::ranges::any_of(workers_, [](const auto& w) { return w->lost.empty(); }))
      << "nothing is left to measure on, the last one was lost: " << worker.lost;
}

std::vector<Json> Workers::run(const std::vector<Json>& tasks, const Done& done) {
  std::vector<Json> answers(tasks.size());
  std::deque<std::size_t> waiting(tasks.size());
  std::iota(waiting.begin(), waiting.end(), 0);
  const OnInterrupt end_workers(Uninterrupted(), [&](const Uninterrupted& held) {
    for (const auto& worker : workers_) worker->end(held);
    return std::string();
  });
  for (std::size_t answered = 0; answered < tasks.size();) {
    std::vector<pollfd> waits;
    Clock::time_point first = Clock::time_point::max();
    for (const auto& worker : workers_) {
      if (!worker->busy && worker->lost.empty() && !waiting.empty()) {
        give(*worker, waiting.front(), tasks[waiting.front()]);
        waiting.pop_front();
      }
      if (!worker->busy) continue;
      waits.push_back({worker->link, POLLIN, 0});
      first = std::min(first, worker->until);
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(first - Clock::now()).count();
    constexpr std::int64_t kDay = 86'400'000;
    poll(waits.data(), waits.size(), static_cast<int>(std::clamp<std::int64_t>(left + 1, 0, kDay)));
    for (const auto& worker : workers_) {
      if (!worker->busy) continue;
      auto answer = take(*worker);
      if (!answer) continue;
      const std::size_t index = *std::exchange(worker->busy, std::nullopt);
      if (answer->is_object() && answer->value("status", "") == "lost") {
        waiting.push_front(index);
        lose(*worker, *answer);
        continue;
      }
      ++answered;
      answers[index] = std::move(*answer);
      if (!done) continue;
      const Uninterrupted held;
      done(index, answers[index]);
    }
  }
  return answers;
}

}  // namespace vdla
