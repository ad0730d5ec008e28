// SPDX-License-Identifier: Apache-2.0
// Results of a sweep: numbers derived from its points, as JSON, CSV and a page.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/explore/area.h"
#include "tools/explore/explore.h"

namespace vdla::explore {

inline constexpr std::string_view kResultsFormat = "vdla explore results 1";

struct ResultOptions {
  std::string title, kit, command, engine;
  std::optional<Part> part;
};

/// All points with area, energy, fit and, per network, whether they are on the front of inferences per second
/// against area. Points that a record of the RTL engine is given for (by index) carry its cycles and the
/// error.
Json results_of(const std::vector<SweepVariant>& variants, const std::vector<Network>& networks,
                const std::vector<Point>& points, const std::map<std::size_t, Json>& rtl_records,
                const ResultOptions& options);

/// Built points that fit the part and have all multiply-accumulates on the device, the most inferences per
/// second first; indices into results_of()'s "points".
std::vector<std::size_t> best_points(const Json& results);

/// Area of a point on the front: the fullest resource of the part, or LUTs.
double cost_of(const Json& point);

/// The keys of a variant's file, in its order: columns of csv_of(), and of conditions over points.
struct VariantKeys {
  std::vector<std::string> geometry, timing;
};
const VariantKeys& variant_keys();

/// One line per point.
std::string csv_of(const Json& results);

}  // namespace vdla::explore
