// SPDX-License-Identifier: Apache-2.0
#include "support/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>

#include "support/error.h"

namespace vdla {
namespace {

constexpr std::size_t kTail = 4096;
constexpr int kCannotRun = 127;  // as of a shell
constexpr std::int64_t kMostMilliseconds = 86'400'000;
using CommandClock = std::chrono::steady_clock;
constexpr int kDyingPolls = 100, kDyingMicroseconds = 5000;
constexpr useconds_t kFirstEndMicroseconds = 100, kEndMicroseconds = 20'000;

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

/// The process's own, without what is set anew.
std::vector<std::string> with_environment(std::vector<std::string> variables) {
  const std::size_t added = variables.size();
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string variable = *at;
    const std::string name = variable.substr(0, variable.find('=') + 1);
    const auto end = variables.begin() + static_cast<std::ptrdiff_t>(added);
    if (std::none_of(variables.begin(), end, [&](const std::string& v) { return v.starts_with(name); }))
      variables.push_back(variable);
  }
  return variables;
}

void die_with_parent(int signal, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, signal);
  if (getppid() != parent) _exit(1);  // it ended before the line above
}

void unblock_signals() {
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

/// After fork(), up to exec: calls that are safe there only.
[[noreturn]] void become_program(char* const* command, char* const* environment, int output, pid_t parent) {
  setpgid(0, 0);
  die_with_parent(SIGTERM, parent);
  unblock_signals();
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_DFL);
  dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  execvpe(command[0], command, environment);
  _exit(kCannotRun);
}

/// Up to the end of the file, or false: until then.
bool read_tail(int fd, std::optional<CommandClock::time_point> until, std::string& tail) {
  std::array<char, kTail> part{};
  for (;;) {
    if (until) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*until - CommandClock::now()).count();
      pollfd readable{fd, POLLIN, 0};
      if (left <= 0) return false;
      if (poll(&readable, 1, static_cast<int>(std::min<std::int64_t>(left, kMostMilliseconds))) <= 0)
        continue;
    }
    const ssize_t bytes = read(fd, part.data(), part.size());
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return true;
    tail.append(part.data(), static_cast<std::size_t>(bytes));
    if (tail.size() > 2 * kTail) tail.erase(0, tail.size() - kTail);
  }
}

/// Up to the process's end, which stays to be waited for, or false: until then. A command that closes its
/// output goes on after the end of what it prints.
bool wait_for_end(pid_t pid, std::optional<CommandClock::time_point> until) {
  for (useconds_t pause = kFirstEndMicroseconds;; pause = std::min(2 * pause, kEndMicroseconds)) {
    siginfo_t ended{};
    const int options = WEXITED | WNOWAIT | (until ? WNOHANG : 0);
    if (waitid(P_PID, static_cast<id_t>(pid), &ended, options) != 0) {
      if (errno == EINTR) continue;
      return true;  // an interrupt has waited for it
    }
    if (ended.si_pid == pid) return true;
    if (CommandClock::now() >= *until) return false;
    usleep(pause);
  }
}

}  // namespace

void begin_child(Uninterrupted& held, pid_t parent) {
  die_with_parent(SIGKILL, parent);
  held.become_child();
  unblock_signals();
}

CommandOutcome run_command(const std::vector<std::string>& command,
                           const std::vector<std::string>& environment, double limit_seconds) {
  std::vector<std::string> arguments = command, variables = with_environment(environment);
  const auto argv = pointers(arguments), envp = pointers(variables);
  std::array<int, 2> ends{};
  const pid_t parent = getpid();
  pid_t pid = 0;
  std::optional<OnInterrupt> running;
  {
    const Uninterrupted held;
    VDLA_CHECK_USER(pipe2(ends.data(), O_CLOEXEC) == 0)
        << "no pipe for " << command[0] << ": " << std::strerror(errno);
    pid = fork();
    if (pid < 0) {
      const int error = errno;
      for (const int end : ends) close(end);
      throw UserError("no process for " + command[0] + ": " + std::strerror(error));
    }
    if (pid == 0) become_program(argv.data(), envp.data(), ends[1], parent);
    setpgid(pid, pid);  // here too: parent or child may be first
    running.emplace(held, [pid](const Uninterrupted&) {
      kill(-pid, SIGKILL);
      waitpid(pid, nullptr, 0);
      // The others are init's now; what they write must not outlive the folder that is removed next.
      for (int i = 0; i < kDyingPolls && kill(-pid, 0) == 0; ++i) usleep(kDyingMicroseconds);
      return std::string();
    });
  }
  close(ends[1]);
  CommandOutcome outcome;
  std::optional<CommandClock::time_point> until;
  if (limit_seconds > 0)
    until = CommandClock::now() +
            std::chrono::duration_cast<CommandClock::duration>(std::chrono::duration<double>(limit_seconds));
  outcome.late = !read_tail(ends[0], until, outcome.tail) || !wait_for_end(pid, until);
  if (outcome.late) kill(-pid, SIGKILL);
  close(ends[0]);
  const Uninterrupted held;
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  running->cancel(held);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

}  // namespace vdla
