// SPDX-License-Identifier: Apache-2.0
// A program that works beside this process: it inherits descriptors, what it prints is read here, and it
// never outlives this process.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/host/connection.h"
#include "support/interrupt.h"

namespace vdla::sim {

/// Killed and waited for when it is destroyed, when a signal ends this process, and when this process is
/// killed.
class Companion {
 public:
  /// Found by PATH; UserError, which names `package`, where it is not. Its standard input is empty.
  Companion(const std::vector<std::string>& command, std::span<const int> inherited,
            const std::string& package);
  Companion(const Companion&) = delete;
  Companion& operator=(const Companion&) = delete;
  ~Companion();

  pid_t pid() const { return pid_; }
  /// The read end of what it prints; -1 once it has closed it.
  int output() const { return output_.get(); }
  /// Reads what has arrived at its output and as its errors, without waiting.
  std::string take_output() { return drain(output_); }
  std::string take_errors() { return drain(errors_); }

  /// Its exit status, or 128 and the number of the signal that ended it; nothing while it still runs then.
  std::optional<int> wait(std::chrono::milliseconds patience);

 private:
  static std::string drain(Descriptor& from);

  Descriptor output_, errors_;
  pid_t pid_ = -1;
  std::optional<int> status_;
  std::optional<OnInterrupt> running_;
};

/// Path of a program in PATH, or of the program whose path it is; empty: none.
std::string find_program(const std::string& name);

}  // namespace vdla::sim
