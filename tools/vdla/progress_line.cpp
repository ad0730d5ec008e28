// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/progress_line.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>

namespace vdla::tools {
namespace {

std::string duration(double seconds) {
  const auto whole = static_cast<unsigned long>(seconds + 0.5);
  return whole >= 60 ? fmt::format("{} min {:02} s", whole / 60, whole % 60) : fmt::format("{} s", whole);
}

}  // namespace

ProgressLine::ProgressLine(std::string what)
    : what_(std::move(what)), terminal_(isatty(STDERR_FILENO) == 1) {}

void ProgressLine::operator()(const explore::Progress& p) {
  const auto now = std::chrono::steady_clock::now();
  const bool last = p.done == p.points;
  if (!terminal_ && !last && now - shown_ < std::chrono::seconds(5)) return;
  shown_ = now;
  const double left = p.seconds / static_cast<double>(p.done) * static_cast<double>(p.points - p.done);
  std::string text = fmt::format("{} {}/{}, ", what_, p.done, p.points);
  text += last ? duration(p.seconds) : duration(left) + " left";
  if (p.unbuildable != 0) text += fmt::format(", {} not buildable", p.unbuildable);
  if (p.failed != 0) text += fmt::format(", {} failed", p.failed);
  text += ": " + p.last;
  fmt::print(stderr, "{}{}{}", terminal_ ? "\r\033[K" : "", text, terminal_ && !last ? "" : "\n");
}

}  // namespace vdla::tools
