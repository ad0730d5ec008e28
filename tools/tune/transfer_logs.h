// SPDX-License-Identifier: Apache-2.0
// Logs of other searches as what a search knows when it begins (vdla tune --from).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "compiler/tune/transfer.h"
#include "compiler/tune/tuner.h"
#include "tools/explore/json.h"

namespace vdla::tune {

/// {"tile_h": 32, "reuse": ["stream", "keep-input"], ...}.
explore::Json space_json(const std::vector<pipeline::Knob>& knobs);

/// Fields of a log's record about a point, so that other searches can learn from it: {"layers", "estimate",
/// "space"}.
explore::Json about_point(const Task& task, const std::string& knobs);

struct LogsElsewhere {
  Transfer transfer;
  std::size_t trials = 0;   ///< number of its trials
  std::size_t strange = 0;  ///< records that say nothing of their space: of an older kit
};

/// UserError for a file that is no log.
LogsElsewhere read_logs(const std::vector<std::string>& paths);

}  // namespace vdla::tune
