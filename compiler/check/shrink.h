// SPDX-License-Identifier: Apache-2.0
// Makes a failing case small: fewer loops and entries, simpler attributes, fewer values that are not zero.
#pragma once

#include <cstddef>
#include <functional>

#include "compiler/check/case.h"

namespace vdla::check {

/// A smaller case that still fails, with at most `max_runs` runs of the predicate; `runs` counts them.
Case shrink(Case failing, const intrinsics::Intrinsic& intrinsic, const isa::Geometry& geometry,
            const std::function<bool(const Case&)>& fails, std::size_t max_runs, std::size_t& runs);

}  // namespace vdla::check
