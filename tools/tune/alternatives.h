// SPDX-License-Identifier: Apache-2.0
// Knobs for the further kernels of a module that adapts (vdla compile --adapt): what was fast elsewhere, and
// what the templates' own estimates like.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "compiler/pipeline/compile.h"

namespace vdla::tune {

struct Alternatives {
  /// For CompileOptions::alternatives: of each layer of the CPU more than it gets kernels, since some knobs
  /// make the same one.
  std::vector<pipeline::KnobBook> books;
  std::size_t from_logs = 0;  ///< knobs that are there because they were fast in a log
};

/// First the knobs that were faster than default ones in the logs, by task and context, of whatever machine,
/// the fastest first; then those of the least estimate, without what lost in the logs or computed something
/// else. UserError for a file that is no log.
Alternatives alternatives_of(const graph::Graph& graph, const pipeline::CompileOptions& options,
                             const std::vector<std::string>& logs);

}  // namespace vdla::tune
