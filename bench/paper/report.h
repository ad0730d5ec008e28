// SPDX-License-Identifier: Apache-2.0
// Results of one experiment of the paper here: tables, claims beside the paper, the conditions, and what
// cannot be compared.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <variant>
#include <vector>

namespace vdla::bench::paper {

/// A number, a text, or nothing ("-").
using Cell = std::variant<std::monostate, double, std::string>;

struct Column {
  std::string key;      ///< key in JSON; a unit stands at its end
  std::string heading;  ///< heading of the printed table
  int digits = 1;       ///< behind the point
};

struct Table {
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  ///< a cell for each column
};

/// Claim of this kit beside the paper. Only cycles and ratios of cycles are claimed.
struct Claim {
  std::string what;
  double need = 0, have = 0;
  bool at_least = true;  ///< else at most

  bool holds() const { return at_least ? have >= need : have <= need; }
};

struct Report {
  std::vector<Table> tables;
  std::vector<Claim> claims;
  std::vector<std::string> conditions, not_comparable;
  std::string svg;  ///< a picture, or empty
};

void print(const Report& report);
nlohmann::ordered_json to_json(const Report& report);

}  // namespace vdla::bench::paper
