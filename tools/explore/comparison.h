// SPDX-License-Identifier: Apache-2.0
// Two runs side by side, layer by layer, from their records.
#pragma once

#include <string>

#include "tools/explore/record.h"

namespace vdla::explore {

inline constexpr std::string_view kComparisonFormat = "vdla comparison 1";

/// {"format", "a", "b": what each is, with its totals, "total", "layers"}.
///
/// Layers are matched by name (the first of a name with the first of it there), and one that only a side has
/// is null on the other. "layers" have
/// {"name", "a", "b", "difference"}, the largest difference first; "(after the last layer)" is among them, so
/// that the differences add up to the total's. Differences are of b against a.
Json compare_records(const std::string& a_title, const Json& a, const std::string& b_title, const Json& b);

}  // namespace vdla::explore
