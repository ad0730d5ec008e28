// SPDX-License-Identifier: Apache-2.0
// Ends unfinished work of a process that a signal ends. Libraries note here what they have begun (a file,
// processes); the program decides which signals end it and calls interrupt() (tools/vdla/signals.h). Signals
// belong to the process, so the list of what is noted does too.
#pragma once

#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <vector>

namespace vdla {

/// While one lives, an interrupt waits; after an interrupt, none begins. Held for short steps only, and never
/// twice by a thread.
class Uninterrupted {
 public:
  Uninterrupted();

  /// Forgets the parent's notes in a child after fork(): they are not the child's, and nothing is held any
  /// more.
  void become_child();

 private:
  std::unique_lock<std::mutex> lock_;
};

/// Unfinished work. On an interrupt, `action` runs on another thread, while every step that is Uninterrupted
/// waits, and returns what the user should know ("kept run.fst, ...") or "". It gets what it needs for steps
/// that take an Uninterrupted. What it refers to must outlive this object.
class OnInterrupt {
 public:
  using Action = std::function<std::string(const Uninterrupted& held)>;

  OnInterrupt(const Uninterrupted& held, Action action);
  ~OnInterrupt();
  OnInterrupt(const OnInterrupt&) = delete;
  OnInterrupt& operator=(const OnInterrupt&) = delete;

  /// The work is finished.
  void cancel(const Uninterrupted& held);

 private:
  std::list<Action>::iterator at_;
  bool noted_ = true;
};

/// Ends unfinished work, the latest first, and returns what the actions say. The process has to end
/// afterwards: a wait for an Uninterrupted step never ends.
std::vector<std::string> interrupt();

}  // namespace vdla
