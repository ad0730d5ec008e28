// SPDX-License-Identifier: Apache-2.0
// Points of a sweep with knobs that a search finds for each (vdla explore --tune).
#pragma once

#include <cstdint>

#include "tools/explore/explore.h"

namespace vdla::tune {

/// Each point with the knobs that a search of so many trials on the SystemC engine finds for it. The same
/// points have the same knobs on every engine.
explore::PointMeasure tuned_points(std::int64_t trials);

}  // namespace vdla::tune
