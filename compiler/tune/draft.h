// SPDX-License-Identifier: Apache-2.0
// What the template's own estimate knows of a space, without a trial.
#pragma once

#include <vector>

#include "compiler/pipeline/knobs/space.h"

namespace vdla::tune {

struct Drafted {
  double estimate = 0;
  pipeline::Point point;
  auto operator<=>(const Drafted&) const = default;
};

/// The points that descents by the estimate alone meet from drawn ones, the least estimate first.
std::vector<Drafted> draft(const pipeline::KnobSpace& space, pipeline::Random& random);

}  // namespace vdla::tune
