// SPDX-License-Identifier: Apache-2.0
// Rows of a table of labels or recorded outputs matched with inputs: by name, by number, or by order where
// the rows say neither.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/data/tables.h"

namespace vdla::tools {

struct RowName {
  std::string name;
  std::size_t line = 0;
};

template <class Value>
std::vector<RowName> names_of(const std::vector<TableRow<Value>>& rows) {
  std::vector<RowName> names;
  for (const auto& row : rows) names.push_back({row.name, row.line});
  return names;
}

/// The inputs of a command, as rows may name them.
struct InputNames {
  std::vector<std::string> names;  ///< names of all: stem of the file, or "stem#3" of the fourth in a batch
  std::size_t used = 0;            ///< number of the first that are wanted (--limit)
  std::string names_file;          ///< file that the names come from, if any; it is no file of inputs then
};

struct Match {
  std::vector<std::size_t> rows;  ///< row of each input that is used
  std::string by;                 ///< "name", "number" or "order"
  std::string why;                ///< reason for "order"
  std::size_t unused = 0;         ///< rows of inputs that are not here

  /// "labels: 48 of 48 matched by name"
  std::string sentence(const std::string& what) const;
};

/// Rows name an input by its file's name with or without folder and ending, or by its name in the batch.
/// Rows whose names are whole numbers number the inputs of a batch from 0. Only where no row names an input
/// of a batch, order decides. Throws UserError: an input without a row, two rows of one input, and, unless
/// `subset`, a row of no input.
Match match_rows(const std::string& path, const std::vector<RowName>& rows, const InputNames& inputs,
                 bool subset);

}  // namespace vdla::tools
