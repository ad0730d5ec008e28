// SPDX-License-Identifier: Apache-2.0
#include "tools/explore/pool.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <map>

#include "support/child_process.h"
#include "support/error.h"

namespace vdla::explore {
namespace {

struct Child {
  std::size_t job;
  int messages;  ///< read end of its pipe
};

/// Works in the child: never returns.
[[noreturn]] void work(const std::function<void(std::size_t)>& child, std::size_t job, int messages) {
  try {
    child(job);
    _exit(0);
  } catch (const std::exception& e) {
    const std::string text = std::string(e.what()).substr(0, 4000);  // less than a pipe holds
    [[maybe_unused]] const auto written = write(messages, text.data(), text.size());
  }
  _exit(1);
}

std::string read_all(int fd) {
  std::string text;
  std::array<char, 4096> part{};
  for (;;) {
    const auto bytes = read(fd, part.data(), part.size());
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(bytes));
  }
}

std::string fault_of(int status, const std::string& message) {
  if (WIFSIGNALED(status))
    return fmt::format("the process was ended by signal {} ({})", WTERMSIG(status),
                       strsignal(WTERMSIG(status)));
  if (WEXITSTATUS(status) == 0) return "";
  return message.empty() ? fmt::format("the process ended with status {}", WEXITSTATUS(status)) : message;
}

}  // namespace

void run_in_processes(std::size_t count, unsigned jobs, const std::function<void(std::size_t)>& child,
                      const std::function<void(std::size_t, const std::string&)>& done) {
  std::map<pid_t, Child> running;
  const pid_t parent = getpid();
  const OnInterrupt kill_children(Uninterrupted(), [&](const Uninterrupted&) {
    for (const auto& [pid, child_of] : running) kill(pid, SIGKILL);
    for (const auto& [pid, child_of] : running) waitpid(pid, nullptr, 0);
    return std::string();
  });
  std::fflush(nullptr);  // so that a child has nothing to write twice
  for (std::size_t next = 0; next < count || !running.empty();) {
    while (next < count && running.size() < jobs) {
      Uninterrupted held;
      std::array<int, 2> ends{};
      VDLA_CHECK_USER(pipe(ends.data()) == 0)
          << "no pipe to a process of the sweep: " << std::strerror(errno) << "; give fewer --jobs";
      const pid_t pid = fork();
      VDLA_CHECK_USER(pid >= 0) << "no process of the sweep: " << std::strerror(errno)
                                << "; give fewer --jobs";
      if (pid == 0) {
        begin_child(held, parent);
        work(child, next, ends[1]);
      }
      close(ends[1]);
      running[pid] = {next++, ends[0]};
    }
    siginfo_t who{};
    if (waitid(P_ALL, 0, &who, WEXITED | WNOWAIT) != 0) continue;
    const Uninterrupted held;  // children of an interrupted sweep count no more
    int status = 0;
    const pid_t pid = waitpid(who.si_pid, &status, 0);
    const auto found = running.find(pid);
    if (found == running.end()) continue;
    const Child ended = found->second;
    running.erase(found);
    const std::string message = read_all(ended.messages);
    close(ended.messages);
    done(ended.job, fault_of(status, message));
  }
}

}  // namespace vdla::explore
