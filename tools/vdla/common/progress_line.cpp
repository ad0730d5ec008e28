// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/common/progress_line.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>

#include "tools/common/standard_output.h"

namespace vdla::tools {

std::string duration(double seconds) {
  const auto whole = static_cast<unsigned long>(seconds + 0.5);
  return whole >= 60 ? fmt::format("{} min {:02} s", whole / 60, whole % 60) : fmt::format("{} s", whole);
}

StatusLine::StatusLine() : terminal_(isatty(STDERR_FILENO) == 1) {}

void StatusLine::print(const std::string& text) const {
  if (terminal_)
    print_over(text);
  else
    fmt::print(stderr, "{}\n", text);
}

void StatusLine::clear() const {
  if (terminal_) print_over("");
}

void StatusLine::end() const {
  if (terminal_) fmt::print(stderr, "\n");
}

ProgressLine::ProgressLine(std::string what) : what_(std::move(what)) {}

void ProgressLine::operator()(const explore::Progress& p) {
  const auto now = std::chrono::steady_clock::now();
  const bool last = p.done == p.points;
  if (!line_.on_terminal() && !last && now - shown_ < std::chrono::seconds(5)) return;
  shown_ = now;
  const double left = p.seconds / static_cast<double>(p.done) * static_cast<double>(p.points - p.done);
  std::string text = fmt::format("{} {}/{}, ", what_, p.done, p.points);
  text += last ? duration(p.seconds) : duration(left) + " left";
  if (p.unbuildable != 0) text += fmt::format(", {} not buildable", p.unbuildable);
  if (p.failed != 0) text += fmt::format(", {} failed", p.failed);
  text += ": " + p.last;
  line_.print(text);
  if (last) line_.end();
}

}  // namespace vdla::tools
