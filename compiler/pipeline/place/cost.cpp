// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline/place/cost.h"

#include <fmt/format.h>

namespace vdla::pipeline {

std::string PlaceCost::text(std::size_t count, std::string_view noun, std::string_view where) const {
  const std::string beside =
      hidden > 0 ? fmt::format(", {:.0f} us of it beside other steps,", 1e6 * hidden) : "";
  return fmt::format(
      "{} {}{} together: on the {} {:.0f} us{} and {:.0f} us at the border, on the CPU {:.0f} us", count,
      noun, count == 1 ? "" : "s", where, 1e6 * there, beside, 1e6 * border, 1e6 * cpu);
}

}  // namespace vdla::pipeline
