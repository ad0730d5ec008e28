// SPDX-License-Identifier: Apache-2.0
// Tables as text with commas between cells.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace vdla::tools {

struct CsvRow {
  std::size_t line = 0;  ///< on which it begins, from 1
  std::vector<std::string> cells;
};

/// Reads rows as RFC 4180 has them: a cell in quotes may hold commas, line ends, and quotes, which stand
/// twice. Blanks around a cell, empty lines, and lines that begin with '#' are left out. UserError names
/// `path` and the line of a quote that is not closed, or that has text after it.
std::vector<CsvRow> parse_csv(std::string_view text, const std::string& path);

}  // namespace vdla::tools
