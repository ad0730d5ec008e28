// SPDX-License-Identifier: Apache-2.0
// Advice that was tried: changes of a variant, each compiled anew and run on the cycle model, with what it
// brings.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "isa/spec/geometry.h"
#include "tools/explore/area.h"
#include "tools/explore/explore.h"
#include "tools/explore/record.h"

namespace vdla::explore {

/// One thing of a variant made twice as large (latency: half; the array's two sides also together).
struct Change {
  std::string name;           ///< "inp_depth x2"
  std::string key;            ///< "inp_depth", of the variant's file; several with commas
  unsigned from = 0, to = 0;  ///< its value; of the array: multipliers
  isa::Variant variant;       ///< with the change, not validated
};

/// All that are tried: each number of the geometry, the array's sides together, DRAM.
std::vector<Change> changes_of(const isa::Variant& variant);

struct AdviceOptions {
  unsigned jobs = 1;
  std::optional<Part> part;  ///< changes that it has no room for are not tried
  std::function<void(const Progress&)> progress;
};

/// Least share of all cycles that a change must save to be proposed.
inline constexpr double kWorthwhile = 0.01;

/// Tries all changes on the network of a record: {"worthwhile", "tried": [...], "layers": [...]}.
///
/// "tried" has, the best first, {"change", "key", "from", "to", "status"}; with "ok" {"cycles", "gain",
/// "proposed", "area"}: gain -0.07 is 7 % of all cycles saved, area what the change adds by the model; else
/// {"reason"}. A variant that the part has no room for has the status "does not fit". "layers" has of each
/// layer of the record {"name", "helps": [{"change", "cycles", "gain"}]}: the proposed changes that make this
/// layer quicker, the best first. Nodes stay on the CPU that the record has there. UserError when the
/// unchanged variant does not take the record's cycles: the graph is not the record's, or its module was
/// compiled with other flags.
Json advise(const graph::Graph& graph, const Json& record, const AdviceOptions& options);

}  // namespace vdla::explore
