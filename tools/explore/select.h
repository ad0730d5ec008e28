// SPDX-License-Identifier: Apache-2.0
// Picks variants of a sweep by an expression over their columns: fps >= 60 and lut < 30e3. A variant is one
// row over all networks of the sweep: fps is that of the slowest network, cycles, times and energies are
// sums.
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

/// The numbers of one variant. A column that it does not have (share without a part) is not in it.
using Columns = std::map<std::string, double>;

/// Columns of the variant whose points in results_of() these are, one for each network; none where one has no
/// result.
Columns columns_of(const Json& results, const std::vector<std::size_t>& points);

struct Selection {
  std::string where;              ///< empty: all
  std::optional<std::string> by;  ///< a value, as in a condition
  bool maximise = false;
};

struct Selected {
  struct Row {
    std::vector<std::size_t> points;  ///< indices, one for each network
    double value = 0;                 ///< value of `by`
  };
  std::vector<Row> rows;  ///< variants that pass, the best first where `by` is given
  std::size_t of = 0;     ///< variants with a result for each network
};

/// UserError says what of the expression is wrong, and lists the columns where it names one that is not
/// there.
Selected select_variants(const Json& results, const Selection& selection);

/// Throws as select_variants() would for any sweep (with a part or without), before one is run.
void check_selection(const Selection& selection, bool has_part);

}  // namespace vdla::explore
