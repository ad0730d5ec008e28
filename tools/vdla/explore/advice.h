// SPDX-License-Identifier: Apache-2.0
// Bounds of each layer of a run, and changes of the variant that would help: for `vdla run --advise` and
// `vdla report`.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace vdla::tools {

/// explore::advise() with the record's model from a file; progress goes to stderr. A part, by name or from a
/// file, limits what is tried.
nlohmann::ordered_json advice_for(const nlohmann::ordered_json& record, const std::string& model,
                                  const std::string& part = "");

/// A table of the record's layers: what bounds each, and what was confirmed to help where the record has
/// advice.
void print_bounds(const nlohmann::ordered_json& record);
/// All that was tried, with the gain.
void print_advice(const nlohmann::ordered_json& advice);

}  // namespace vdla::tools
