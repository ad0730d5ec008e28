// SPDX-License-Identifier: Apache-2.0
// How far a number of points is, on stderr: one line that is written over on a terminal, a line now and then
// elsewhere.
#pragma once

#include <chrono>
#include <string>

#include "tools/explore/explore.h"

namespace vdla::tools {

class ProgressLine {
 public:
  explicit ProgressLine(std::string what);

  void operator()(const explore::Progress& p);

 private:
  std::string what_;
  bool terminal_;
  std::chrono::steady_clock::time_point shown_{};
};

}  // namespace vdla::tools
