// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/signals.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <system_error>
#include <thread>

#include "support/interrupt.h"

namespace vdla::tools {
namespace {

bool closed_pipe_was_ignored = false;  // as this process was started

bool ignored(int signal) {
  struct sigaction action{};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

/// Ends as if the signal were not handled: shells see which one it was.
void die_of(int signal) {
  std::signal(signal, SIG_DFL);
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_UNBLOCK, &all, nullptr);
  kill(getpid(), signal);
}

/// Waits in a thread of its own, which is the only one that these signals reach.
void wait_for(const sigset_t& signals, const std::string& command) {
  int signal = 0;
  while (sigwait(&signals, &signal) != 0) {
  }
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);  // a second one does not wait
  const std::vector<std::string> said = interrupt();
  const std::string line = fmt::format(
      "vdla{}: interrupted by SIG{}: {}\n", command.empty() ? "" : " " + command, sigabbrev_np(signal),
      said.empty() ? "no file was unfinished" : fmt::format("{}", fmt::join(said, "; ")));
  std::fputs(line.c_str(), stderr);
  die_of(signal);
}

}  // namespace

void handle_signals(const std::string& command) {
  closed_pipe_was_ignored = ignored(SIGPIPE);
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    if (!ignored(signal)) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  try {
    std::thread([signals, command] { wait_for(signals, command); }).detach();
  } catch (const std::system_error&) {
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);  // they end it as they always did
  }
}

void die_of_closed_pipe() {
  if (!closed_pipe_was_ignored) die_of(SIGPIPE);
}

}  // namespace vdla::tools
