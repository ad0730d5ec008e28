// SPDX-License-Identifier: Apache-2.0
// Labels and recorded outputs of a data set, as rows with a name; tools/data/match.h says which input a row
// belongs to.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace vdla::tools {

/// Bytes of a CIFAR-10 image with its label.
inline constexpr std::size_t kCifarRecord = 1 + 3 * 32 * 32;

template <class Value>
struct TableRow {
  std::string name;      ///< first cell, or "" where the layout has none
  std::size_t line = 0;  ///< line in the file, from 1; of CIFAR-10's layout the record
  Value value;
};

/// A CSV of "name,[classes,]label" or "number,name,label", with or without a first line that says so, or
/// CIFAR-10's binary layout (first byte of each record of 3073). Throws UserError naming line, value and
/// need.
std::vector<TableRow<int>> read_labels(const std::string& path);

/// A CSV of "name,v0,v1,...".
std::vector<TableRow<std::vector<double>>> read_goldens(const std::string& path);

/// A text with a name in each line: of classes, of inputs.
std::vector<std::string> read_names(const std::string& path);

}  // namespace vdla::tools
