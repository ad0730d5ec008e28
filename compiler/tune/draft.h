// SPDX-License-Identifier: Apache-2.0
// Draft of a space by the template's own estimate, without a trial.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/knobs/space.h"

namespace vdla::tune {

struct Drafted {
  double estimate = 0;
  pipeline::Point point;
  auto operator<=>(const Drafted&) const = default;
};

/// The points that descents by the estimate alone meet from drawn ones, the least estimate first. Empty where
/// the space has no legal point.
std::vector<Drafted> draft(const pipeline::KnobSpace& space, std::uint64_t seed);

}  // namespace vdla::tune
