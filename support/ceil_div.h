// SPDX-License-Identifier: Apache-2.0
// How many pieces of a size something takes.
#pragma once

#include <cstdint>

namespace vdla {

/// count / size rounded up; count >= 0, size > 0. No intermediate value overflows.
constexpr std::int64_t ceil_div(std::int64_t count, std::int64_t size) {
  return count / size + (count % size != 0 ? 1 : 0);
}

}  // namespace vdla
