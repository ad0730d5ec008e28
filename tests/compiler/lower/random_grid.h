// SPDX-License-Identifier: Apache-2.0
// Random schedules for a machine with a grid: blocks, threads and virtual threads, memory that threads fill
// together, stages of a thread's own, splits that do not divide.
#pragma once

#include "tests/compiler/lower/random_schedule.h"

namespace vdla::lower {

/// Whatever was refused is left out.
Candidate draw_grid_candidate(const Problem& problem, unsigned seed);

}  // namespace vdla::lower
