// SPDX-License-Identifier: Apache-2.0
// vdla run --tensors: values of the model's tensors, as files.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

#include "kit/model_tensors.h"
#include "tools/vdla/run/net_flags.h"

namespace vdla::tools {

struct TensorFileFlags {
  std::string to;     ///< folder, or .npz
  std::string model;  ///< network of a module

  bool wanted() const { return !to.empty(); }
  void add_to(CLI::App& command);
  /// UserError where the files cannot be written.
  void require_place() const;
  /// The network that the net was compiled of. UserError where that is not known, or another file.
  graph::Graph network(const Net& net) const;
  /// Writes the tensors of a run of `net`, and tensors.json: a row for each. Returns the command's report.
  nlohmann::ordered_json write(const graph::Graph& network, const Net& net,
                               const kit::ReadTensors& read) const;
};

void print_tensor_files(const nlohmann::ordered_json& report);

}  // namespace vdla::tools
