// SPDX-License-Identifier: Apache-2.0
// The graph as text for people and as JSON for tools. Constant data is left out of both.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "compiler/graph/graph.h"

namespace vdla::graph {

/// Attributes in declaration order; used by both forms.
nlohmann::ordered_json attributes(const Op& op);

std::string to_text(const Graph& graph);
nlohmann::ordered_json to_json(const Graph& graph);

}  // namespace vdla::graph
