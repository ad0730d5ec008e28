// SPDX-License-Identifier: Apache-2.0
// Stops a card before a signal ends the process.
#pragma once

#include <functional>
#include <list>
#include <mutex>

namespace vdla::driver {

/// Runs `action` when SIGHUP, SIGINT or SIGTERM arrives and is not ignored, on a thread of its own, since a
/// signal's handler may not call XRT. The signal then has its former effect; a second one has it at once. A
/// child of fork() runs nothing. What `action` refers to must outlive this object.
class BeforeEnding {
 public:
  using Action = std::function<void()>;

  /// std::system_error: no thread or no pipe can be had.
  explicit BeforeEnding(Action action);
  /// Waits for an action that runs. Signals are as before, except where the program has put a handler of its
  /// own over this one.
  ~BeforeEnding();
  /// While it is held no action begins. A wait for it during an action ends after the signal, or never, where
  /// the signal ends the process.
  static std::unique_lock<std::mutex> hold();
  BeforeEnding(const BeforeEnding&) = delete;
  BeforeEnding& operator=(const BeforeEnding&) = delete;

 private:
  std::list<Action>::iterator at_;
};

}  // namespace vdla::driver
