// SPDX-License-Identifier: Apache-2.0
// Picks points of a sweep by an expression over their columns: fps >= 60 and lut < 30e3.
//
//   condition:  comparison, fits, front, not CONDITION, CONDITION and CONDITION, CONDITION or CONDITION,
//   (CONDITION); also ! && || comparison: VALUE < <= > >= == != VALUE value:      a column, a number, VALUE +
//   - * / VALUE, - VALUE, (VALUE)
//
// `not` binds closest, then `and`, then `or`; * and / before + and -.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/explore/record.h"

namespace vdla::explore {

/// The numbers of one point. A column that a point does not have (share without a part) is not in it.
using Columns = std::map<std::string, double>;

/// Of a point in results_of(); one without a result has none.
Columns columns_of(const Json& results, const Json& point);

struct Selection {
  std::string where;              ///< empty: all
  std::optional<std::string> by;  ///< a value, as in a condition
  bool maximise = false;
};

struct Selected {
  std::vector<std::size_t> points;  ///< that pass, the best first where `by` is given; indices
  std::size_t of = 0;               ///< points with a result
  std::vector<double> values;       ///< of `by`, for each of `points`
};

/// UserError says what of the expression is wrong, and lists the columns where it names one that is not
/// there.
Selected select_points(const Json& results, const Selection& selection);

/// Throws as select_points() would for any sweep (with a part or without), before one is run.
void check_selection(const Selection& selection, bool has_part);

}  // namespace vdla::explore
