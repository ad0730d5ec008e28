// SPDX-License-Identifier: Apache-2.0
#include "tools/data/tables.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>
#include <sstream>

#include "support/error.h"
#include "tools/data/csv.h"
#include "tools/data/files.h"
#include "tools/data/text_input.h"

namespace vdla::tools {
namespace {

/// Without blanks around it, and without quotes around that.
std::string trimmed(std::string text) {
  const auto strip = [&](const char* what) {
    const auto first = text.find_first_not_of(what);
    text = first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(what) - first + 1);
  };
  strip(" \t\r");
  strip("\"");
  return text;
}

std::vector<CsvRow> read_csv(const std::string& path) {
  std::vector<CsvRow> rows = parse_csv(read_text_of(path, "a table as CSV text"), path);
  VDLA_CHECK_USER(!rows.empty()) << path << ": has no rows";
  return rows;
}

std::optional<double> number_in(const std::string& cell) {
  double value = 0;
  const char* const begin = cell.data() + (cell.starts_with("+") ? 1 : 0);
  const auto [end, error] = std::from_chars(begin, cell.data() + cell.size(), value);
  if (error != std::errc{} || end != cell.data() + cell.size()) return std::nullopt;
  return value;
}

double number(const std::string& path, const CsvRow& row, std::size_t column) {
  const auto value = number_in(row.cells[column]);
  VDLA_CHECK_USER(value) << path << ":" << row.line << ": '" << row.cells[column] << "' in column "
                         << column + 1 << " is not a number";
  return *value;
}

int label_in(const std::string& path, const CsvRow& row) {
  constexpr double kMost = 1 << 30;
  const double value = number(path, row, row.cells.size() - 1);
  VDLA_CHECK_USER(value >= 0 && value <= kMost && value == std::floor(value))
      << path << ":" << row.line << ": label " << row.cells.back()
      << " is no number of a class, needs a whole number from 0";
  return static_cast<int>(value);
}

/// "i,filename,label_idx"
bool is_heading(const CsvRow& row) {
  if (number_in(row.cells.back())) return false;
  std::string last = row.cells.back();
  std::ranges::transform(last, last.begin(), [](unsigned char c) { return std::tolower(c); });
  return last.find("label") != std::string::npos || last.find("class") != std::string::npos;
}

std::vector<TableRow<int>> cifar_labels(const std::string& path) {
  const auto file = read_file(path);
  VDLA_CHECK_USER(!file.empty() && file.size() % kCifarRecord == 0)
      << path << ": has " << file.size() << " bytes, labels of CIFAR-10's layout need a multiple of "
      << kCifarRecord;
  std::vector<TableRow<int>> rows;
  for (std::size_t at = 0; at < file.size(); at += kCifarRecord)
    rows.push_back({"", rows.size() + 1, static_cast<int>(file[at])});
  return rows;
}

}  // namespace

std::vector<TableRow<int>> read_labels(const std::string& path) {
  if (std::filesystem::path(path).extension() == ".bin") return cifar_labels(path);
  std::vector<TableRow<int>> rows;
  bool first = true;
  for (const CsvRow& row : read_csv(path)) {
    VDLA_CHECK_USER(row.cells.size() == 2 || row.cells.size() == 3)
        << path << ":" << row.line << ": has " << row.cells.size()
        << " columns, needs name,label or name,classes,label";
    const bool heading = first && is_heading(row);
    first = false;
    if (heading) continue;
    // The middle one of three cells is the number of classes, or the name behind a running number.
    const std::size_t name = row.cells.size() == 3 && !number_in(row.cells[1]) ? 1 : 0;
    rows.push_back({row.cells[name], row.line, label_in(path, row)});
  }
  return rows;
}

std::vector<TableRow<std::vector<double>>> read_goldens(const std::string& path) {
  std::vector<TableRow<std::vector<double>>> rows;
  for (const CsvRow& row : read_csv(path)) {
    std::vector<double> values;
    for (std::size_t column = 1; column < row.cells.size(); ++column)
      values.push_back(number(path, row, column));
    rows.push_back({row.cells[0], row.line, std::move(values)});
  }
  return rows;
}

std::vector<std::string> read_names(const std::string& path) {
  std::istringstream in(read_text_of(path, "text with a name in each line"));
  std::vector<std::string> names;
  for (std::string line; std::getline(in, line);) names.push_back(trimmed(line));
  while (!names.empty() && names.back().empty()) names.pop_back();
  VDLA_CHECK_USER(!names.empty()) << path << ": has no names, needs one in each line";
  return names;
}

}  // namespace vdla::tools
