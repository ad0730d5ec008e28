// SPDX-License-Identifier: Apache-2.0
// Processes for a program that has threads, which cannot fork safely itself: a process that was forked before
// the threads were makes them, one at a time, and ends them.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "support/interrupt.h"

namespace vdla::remote {

class Spawner {
 public:
  /// Work of a child with its end of a socket to this process. Signals that ask a process to end wait there:
  /// end_is_asked() tells whether one came.
  using Body = std::function<void(int link)>;

  /// Forks the process that makes the others.
  explicit Spawner(Body body);
  /// Ends all of them, as an interrupt does.
  ~Spawner();
  Spawner(const Spawner&) = delete;
  Spawner& operator=(const Spawner&) = delete;

  /// This process's end of the socket to a new child, for the caller to close. The one before must have
  /// ended. UserError where there can be none.
  int start();
  /// Asks the child to end, without waiting.
  void ask_to_end();
  /// Asks the child to end, and kills it where it has not within the time.
  void end(std::chrono::milliseconds time);
  /// Text of what ended a child whose end of the socket is closed: "was ended by signal 11 (Segmentation
  /// fault)".
  std::string last_words();

  /// Waits, in a child, until there is something to read from the socket. False: it is asked to end.
  static bool wait_for(int link);
  /// Whether a child is asked to end.
  static bool end_is_asked();

 private:
  struct Order;
  struct Answer;
  class Maker;
  Answer order(const Order& order, int link = -1);
  void end_all();

  std::mutex mutex_;  ///< an order and its answer belong together
  int control_ = -1;
  pid_t maker_ = 0;
  std::optional<OnInterrupt> on_interrupt_;  // goes before what it ends
};

}  // namespace vdla::remote
