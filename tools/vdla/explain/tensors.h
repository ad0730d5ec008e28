// SPDX-License-Identifier: Apache-2.0
// vdla explain --tensors: what became of each tensor of the model.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/module/module.h"

namespace vdla::tools {

/// A tensor of the model, and a value of the module that it belongs to.
struct TensorRow {
  SourceTensor tensor;
  std::string value;  ///< the node that writes it, or the input
  std::string kind;   ///< "input", "result", "constant"
  std::string place;  ///< place of the node
  int step = -1;
};

struct TensorFlags {
  bool all = false;
  std::vector<std::string> names;

  bool wanted() const { return all || !names.empty(); }
  void add_to(CLI::App& command);
  /// Rows in the order of the values. UserError for a name that no value has anything to do with.
  std::vector<TensorRow> rows(const runtime::Module& module) const;
};

nlohmann::ordered_json sources_json(const Sources& sources);
nlohmann::ordered_json tensors_json(const std::vector<TensorRow>& rows);
void print_tensors(const std::vector<TensorRow>& rows);

}  // namespace vdla::tools
