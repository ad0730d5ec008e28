// SPDX-License-Identifier: Apache-2.0
// How far long work is, on stderr: one line that is written over on a terminal, a line now and then
// elsewhere.
#pragma once

#include <chrono>
#include <string>

#include "tools/explore/explore.h"

namespace vdla::tools {

/// "2 min 05 s"
std::string duration(double seconds);

/// Each line takes the place of the one before on a terminal, and follows it elsewhere.
class StatusLine {
 public:
  StatusLine();

  bool on_terminal() const { return terminal_; }
  void print(const std::string& text) const;
  /// Takes the line from the terminal again.
  void clear() const;
  /// Ends the line, so that the next text on stderr begins one.
  void end() const;

 private:
  bool terminal_;
};

/// Progress of a sweep: a number of points.
class ProgressLine {
 public:
  explicit ProgressLine(std::string what);

  void operator()(const explore::Progress& p);

 private:
  std::string what_;
  StatusLine line_;
  std::chrono::steady_clock::time_point shown_{};
};

}  // namespace vdla::tools
