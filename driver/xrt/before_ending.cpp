// SPDX-License-Identifier: Apache-2.0
#include "driver/xrt/before_ending.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace vdla::driver {
namespace {

constexpr std::array kEnding = {SIGHUP, SIGINT, SIGTERM};
constexpr unsigned char kStop = 0;  // to the thread, where signals have their numbers

/// Signals belong to the process, so what their handler needs does.
struct sigaction before[kEnding.size()];
bool is_installed[kEnding.size()];
/// Write end of a pipe to the thread. It is never closed: a handler may still write when the thread ends.
std::atomic<int> to_thread{-1};
std::atomic<bool> is_watched{false};
std::atomic<pid_t> owner{0};  // a child of fork() has the handler, and not the thread

/// Only what a handler may do. What the signal did before is in place again, so a second one does that.
void on_signal(int number) {
  const int error = errno;
  for (std::size_t i = 0; i < kEnding.size(); ++i)
    if (kEnding[i] == number) sigaction(number, &before[i], nullptr);
  const auto byte = static_cast<unsigned char>(number);
  if (getpid() != owner || !is_watched || write(to_thread, &byte, 1) != 1)
    raise(number);  // comes after this handler
  errno = error;
}

class Watcher {
 public:
  std::list<BeforeEnding::Action>::iterator add(BeforeEnding::Action action) {
    const std::lock_guard held(mutex_);
    if (actions_.empty()) start();
    return actions_.insert(actions_.end(), std::move(action));
  }

  void remove(std::list<BeforeEnding::Action>::iterator at) {
    std::thread ends;
    {
      const std::lock_guard held(mutex_);
      actions_.erase(at);
      if (actions_.empty()) {
        restore_handlers();
        is_watched = false;
        (void)!write(to_thread, &kStop, 1);
        ends = std::move(thread_);
      }
    }
    if (ends.joinable()) ends.join();
  }

  std::unique_lock<std::mutex> hold() { return std::unique_lock(mutex_); }

 private:
  void start() {
    make_pipe();
    sigset_t all, former;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &former);  // signals reach other threads
    try {
      thread_ = std::thread([this] { wait(); });
    } catch (...) {
      pthread_sigmask(SIG_SETMASK, &former, nullptr);
      throw;
    }
    owner = getpid();
    is_watched = true;
    install_handlers();
    pthread_sigmask(SIG_SETMASK, &former, nullptr);
  }

  void make_pipe() {
    if (to_thread >= 0) return;
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
    from_handler_ = ends[0];
    to_thread = ends[1];
  }

  void wait() {
    unsigned char number = kStop;
    for (;;) {
      const ssize_t bytes = read(from_handler_, &number, 1);
      if (bytes < 0 && errno == EINTR) continue;
      if (bytes != 1 || number == kStop) break;
      const std::lock_guard held(mutex_);
      for (const BeforeEnding::Action& action : actions_) action();
      send_again(number);
    }
  }

  /// One that ends the process does so before this returns: no run can start after the actions.
  static void send_again(int number) {
    struct sigaction now{};
    if (sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_DFL) {
      sigset_t only;
      sigemptyset(&only);
      sigaddset(&only, number);
      pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
      raise(number);
    }
    kill(getpid(), number);
  }

  static void install_handlers() {
    struct sigaction action{};
    sigemptyset(&action.sa_mask);
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    for (std::size_t i = 0; i < kEnding.size(); ++i) {
      struct sigaction now{};
      if (sigaction(kEnding[i], nullptr, &now) != 0 || now.sa_handler == SIG_IGN) continue;
      before[i] = now;  // first: the handler reads it
      is_installed[i] = sigaction(kEnding[i], &action, nullptr) == 0;
    }
  }

  static void restore_handlers() {
    for (std::size_t i = 0; i < kEnding.size(); ++i) {
      struct sigaction now{};
      if (std::exchange(is_installed[i], false) && sigaction(kEnding[i], nullptr, &now) == 0 &&
          now.sa_handler == on_signal)
        sigaction(kEnding[i], &before[i], nullptr);
    }
  }

  std::mutex mutex_;
  std::list<BeforeEnding::Action> actions_;
  std::thread thread_;
  int from_handler_ = -1;
};

/// Never destroyed: a signal may come while the process ends.
Watcher& watcher() {
  static auto* const instance = new Watcher;
  return *instance;
}

}  // namespace

BeforeEnding::BeforeEnding(Action action) : at_(watcher().add(std::move(action))) {}

BeforeEnding::~BeforeEnding() { watcher().remove(at_); }

std::unique_lock<std::mutex> BeforeEnding::hold() { return watcher().hold(); }

}  // namespace vdla::driver
