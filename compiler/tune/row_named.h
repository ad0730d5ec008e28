// SPDX-License-Identifier: Apache-2.0
// The row of a table by its name, as a command line gives it.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/error.h"
#include "support/nearest.h"

namespace vdla::tune {

/// UserError lists the names of the table. `what` is what a row is: "search".
template <class Row>
const Row& row_named(std::span<const Row> table, std::string_view name, std::string_view what) {
  std::vector<std::string> names;
  for (const Row& row : table) {
    if (row.name == name) return row;
    names.emplace_back(row.name);
  }
  throw UserError(fmt::format("no {} '{}': there are {}{}", what, name, fmt::join(names, ", "),
                              did_you_mean(std::string(name), names)));
}

}  // namespace vdla::tune
