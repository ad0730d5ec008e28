// SPDX-License-Identifier: Apache-2.0
// Numbers that JSON has not.
#pragma once

#include <cmath>

namespace vdla {

/// Returns "Infinity", "-Infinity" or "NaN", which Python's float(), C's strtod() and JavaScript's Number()
/// read. JSON has it as a string in the place of such a number.
inline const char* name_of_nonfinite(double value) {
  return std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
}

}  // namespace vdla
