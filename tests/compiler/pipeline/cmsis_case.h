// SPDX-License-Identifier: Apache-2.0
// One published operator case of CMSIS-NN as a graph of one node, with its inputs and expected output.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"

namespace vdla::testing {

struct CmsisCase {
  graph::Graph graph;
  std::vector<graph::Bytes> inputs;
  graph::Bytes expected;
  std::vector<std::vector<graph::Bytes>> before;  ///< inputs of runs before this one
};

/// Operators of int8, and networks of them; nothing for other types, LSTM, SVDF, and a softmax to int16.
std::optional<CmsisCase> cmsis_case(const std::filesystem::path& json);

/// Operators of int16 x int8, and a softmax of int8 that gives int16, as TFLite's importer composes them;
/// nothing for LSTM.
std::optional<CmsisCase> cmsis_case16(const std::filesystem::path& path);

/// LSTM of int8 and int16 and SVDF, with their states, as the importer of TFLite composes them.
std::optional<CmsisCase> cmsis_recurrent(const std::filesystem::path& json);

/// Its operator, and its types where they are not int8 x int8: "conv", "conv, int8 x int4", "lstm".
std::string cmsis_kind(const std::filesystem::path& json);

}  // namespace vdla::testing
