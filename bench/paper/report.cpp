// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/report.h"

#include <fmt/format.h>

#include <algorithm>

namespace vdla::bench::paper {
namespace {

std::string text_of(const Cell& cell, int digits) {
  if (const auto* number = std::get_if<double>(&cell)) return fmt::format("{:.{}f}", *number, digits);
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  return "-";
}

/// Headings and cells at equal widths; texts to the left, numbers to the right.
void print(const Table& table) {
  fmt::print("{}\n", table.title);
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::size_t width = table.columns[c].heading.size();
    for (const auto& row : table.rows)
      width = std::max(width, text_of(row.at(c), table.columns[c].digits).size());
    widths.push_back(width);
  }
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (c == 0)
      fmt::print("  {:{}}", table.columns[c].heading, widths[c]);
    else
      fmt::print("  {:>{}}", table.columns[c].heading, widths[c]);
  }
  fmt::print("\n");
  for (const auto& row : table.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string text = text_of(row[c], table.columns[c].digits);
      if (c == 0)
        fmt::print("  {:{}}", text, widths[c]);
      else
        fmt::print("  {:>{}}", text, widths[c]);
    }
    fmt::print("\n");
  }
  fmt::print("\n");
}

void print(const std::string& heading, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  fmt::print("{}\n", heading);
  for (const std::string& line : lines) fmt::print("  * {}\n", line);
  fmt::print("\n");
}

nlohmann::ordered_json to_json(const Cell& cell) {
  if (const auto* number = std::get_if<double>(&cell)) return *number;
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  return nullptr;
}

}  // namespace

void print(const Report& report) {
  for (const Table& table : report.tables) print(table);
  std::vector<std::string> claims;
  for (const Claim& c : report.claims)
    claims.push_back(fmt::format("{}: needed {} {:.2f}, reached {:.2f}: {}", c.what,
                                 c.at_least ? ">=" : "<=", c.need, c.have, c.holds() ? "holds" : "MISSED"));
  print("Claims", claims);
  print("Conditions", report.conditions);
  print("Not comparable", report.not_comparable);
}

nlohmann::ordered_json to_json(const Report& report) {
  auto tables = nlohmann::ordered_json::array(), claims = nlohmann::ordered_json::array();
  for (const Table& table : report.tables) {
    auto rows = nlohmann::ordered_json::array();
    for (const auto& row : table.rows) {
      nlohmann::ordered_json json;
      for (std::size_t c = 0; c < row.size(); ++c) json[table.columns[c].key] = to_json(row[c]);
      rows.push_back(json);
    }
    tables.push_back({{"title", table.title}, {"rows", rows}});
  }
  for (const Claim& c : report.claims)
    claims.push_back({{"what", c.what},
                      {c.at_least ? "at_least" : "at_most", c.need},
                      {"have", c.have},
                      {"holds", c.holds()}});
  return {{"tables", tables},
          {"claims", claims},
          {"conditions", report.conditions},
          {"not_comparable", report.not_comparable}};
}

}  // namespace vdla::bench::paper
