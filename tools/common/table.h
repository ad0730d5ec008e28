// SPDX-License-Identifier: Apache-2.0
// The text of a table, from the JSON objects of its rows that a command reports.
//
//   print_table(out["layers"], "layer|cycles|util.|LUT",
//               "{name:<32+} {cycles:>11} {utilisation*100:>6.1f}% {area.lut:>8.0f}");
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace vdla::tools {

/// Returns the text, or the first and the last letters of one of more than `most` bytes, with "..." between
/// them.
std::string cut_in_the_middle(const std::string& text, std::size_t most);

/// Heading, and a line for each row. `titles`: separated by '|'. `fields`: a line as in fmt, whose fields
/// name the key of a row, or a path of keys ("area.lut"), and may have a factor ("*100"). A '+' at the end of
/// a field ("{name:<32+}") widens its column to the longest text; a precision cuts text in the middle. A key
/// that a row lacks, or null, is "-"; true is "*", and false is nothing. No line ends with blanks.
std::vector<std::string> table_lines(const nlohmann::ordered_json& rows, const std::string& titles,
                                     const std::string& fields);
void print_table(const nlohmann::ordered_json& rows, const std::string& titles, const std::string& fields);

/// The rows, with a value of its own under `key` in each.
template <class Value>
nlohmann::ordered_json with_column(nlohmann::ordered_json rows, const char* key, const Value& value) {
  for (auto& row : rows) row[key] = value(row);
  return rows;
}

}  // namespace vdla::tools
