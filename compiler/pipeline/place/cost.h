// SPDX-License-Identifier: Apache-2.0
// The cost of a part of a network in a place, against that on the CPU: islands of the device and runs of
// programs are weighed alike.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace vdla::pipeline {

/// Seconds by the speed that the options say each target has: estimates.
struct PlaceCost {
  double there = 0;   ///< the target's work
  double border = 0;  ///< its start, copies to and from it, what the host converts for it
  double cpu = 0;     ///< all of it on the CPU instead
  double hidden = 0;  ///< work that goes on beside other steps

  bool pays() const { return there - hidden + border < cpu; }
  /// One clause for people: "3 nodes together: on the device 40 us and 12 us at the border, on the CPU 90
  /// us".
  std::string text(std::size_t count, std::string_view noun, std::string_view where) const;
};

}  // namespace vdla::pipeline
