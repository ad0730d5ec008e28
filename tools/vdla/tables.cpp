// SPDX-License-Identifier: Apache-2.0
#include "tools/vdla/tables.h"

#include <filesystem>
#include <sstream>

#include "support/error.h"
#include "tools/vdla/files.h"

namespace vdla::tools {
namespace {

constexpr std::size_t kCifarRecord = 3073;

struct Row {
  std::size_t line;
  std::vector<std::string> cells;
};

std::vector<Row> read_csv(const std::string& path) {
  std::istringstream in(read_text(path));
  std::vector<Row> rows;
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty() || line[0] == '#') continue;
    Row row{number, {}};
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) row.cells.push_back(cell);
    rows.push_back(std::move(row));
  }
  return rows;
}

double number(const std::string& path, const Row& row, std::size_t column) {
  const std::string& cell = row.cells[column];
  std::size_t used = 0;
  double value = 0;
  try {
    value = std::stod(cell, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  VDLA_CHECK_USER(used != 0 && cell.find_first_not_of(' ', used) == std::string::npos)
      << path << ":" << row.line << ": '" << cell << "' in column " << column + 1 << " is not a number";
  return value;
}

void check_count(const std::string& path, std::size_t have, std::size_t need) {
  VDLA_CHECK_USER(have >= need) << path << ": has " << have << " rows, needs one for each of the " << need
                                << " inputs";
}

}  // namespace

std::vector<int> read_labels(const std::string& path, std::size_t count) {
  std::vector<int> labels;
  if (std::filesystem::path(path).extension() == ".bin") {
    const auto file = read_file(path);
    VDLA_CHECK_USER(file.size() % kCifarRecord == 0)
        << path << ": has " << file.size() << " bytes, labels of CIFAR-10's layout need a multiple of "
        << kCifarRecord;
    for (std::size_t at = 0; at < file.size(); at += kCifarRecord)
      labels.push_back(static_cast<int>(file[at]));
  } else {
    for (const Row& row : read_csv(path)) {
      VDLA_CHECK_USER(row.cells.size() == 2 || row.cells.size() == 3)
          << path << ":" << row.line << ": has " << row.cells.size()
          << " columns, needs name,label or name,classes,label";
      labels.push_back(static_cast<int>(number(path, row, row.cells.size() - 1)));
    }
  }
  check_count(path, labels.size(), count);
  labels.resize(count);
  return labels;
}

std::vector<std::vector<double>> read_goldens(const std::string& path, std::size_t count) {
  std::vector<std::vector<double>> goldens;
  for (const Row& row : read_csv(path)) {
    std::vector<double> values;
    for (std::size_t column = 1; column < row.cells.size(); ++column)
      values.push_back(number(path, row, column));
    VDLA_CHECK_USER(!values.empty() && (goldens.empty() || goldens[0].size() == values.size()))
        << path << ":" << row.line << ": has " << values.size() << " values, needs "
        << (goldens.empty() ? std::string("at least one") : std::to_string(goldens[0].size()));
    goldens.push_back(std::move(values));
  }
  check_count(path, goldens.size(), count);
  goldens.resize(count);
  return goldens;
}

}  // namespace vdla::tools
