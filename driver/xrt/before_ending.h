// SPDX-License-Identifier: Apache-2.0
// What a signal that ends the process does to a card first.
#pragma once

#include <functional>
#include <list>
#include <mutex>

namespace vdla::driver {

/// While one lives, SIGHUP, SIGINT and SIGTERM (those that are not ignored) run `action`, on a thread of its
/// own, since a signal's handler may not call XRT. Then the signal does what it did before; the same one
/// again does so at once. In a child of fork() nothing is run. What `action` refers to must outlive this
/// object.
class BeforeEnding {
 public:
  using Action = std::function<void()>;

  /// std::system_error: no thread or no pipe can be had.
  explicit BeforeEnding(Action action);
  /// Waits for an action that runs. Signals are as before, but where somebody has put a handler of his own
  /// over this one.
  ~BeforeEnding();
  /// While it is held no action begins. Whoever waits for it during one gets it behind the signal, or never,
  /// where that ends the process.
  static std::unique_lock<std::mutex> hold();
  BeforeEnding(const BeforeEnding&) = delete;
  BeforeEnding& operator=(const BeforeEnding&) = delete;

 private:
  std::list<Action>::iterator at_;
};

}  // namespace vdla::driver
