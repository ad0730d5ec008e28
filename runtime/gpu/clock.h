// SPDX-License-Identifier: Apache-2.0
// Times of devices whose own clock the kit does not read; private to this folder.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

namespace vdla::gpu {

inline constexpr const char* kClockOfHost = "this machine's clock, each layer waited for";

/// Loaded::run_timed(): `run` does launches from one number to another and returns when they are done.
template <class Run>
std::vector<double> timed_by_clock(std::span<const std::size_t> ends, const Run& run) {
  std::vector<double> seconds;
  std::size_t first = 0;
  for (const std::size_t end : ends) {
    const auto begin = std::chrono::steady_clock::now();
    run(first, end);
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    first = end;
  }
  return seconds;
}

}  // namespace vdla::gpu
