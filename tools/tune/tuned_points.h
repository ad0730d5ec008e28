// SPDX-License-Identifier: Apache-2.0
// Points of a sweep with knobs that a search finds for each (vdla explore --tune).
#pragma once

#include <cstdint>

#include "tools/explore/explore.h"

namespace vdla::tune {

/// Each point with the knobs that a search of `trials` trials on the SystemC engine finds for it. The same
/// points have the same knobs on every engine.
explore::PointMeasure tuned_points(std::int64_t trials);

/// Seconds of wall time that such a point may take where points have a limit: as much as its trials may take
/// by their own limits, and an hour. 0 trials: with default knobs.
double point_seconds(std::int64_t trials);

}  // namespace vdla::tune
