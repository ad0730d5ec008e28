// SPDX-License-Identifier: Apache-2.0
// A device's counters of a run, as people and tools see them. A device without time has bytes alone.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

#include "driver/core/state.h"

namespace vdla::tools {

/// "61 cycles, 64 bytes read, 0 written" and a line for each unit, without a newline at the end.
std::string counters_text(const vdla_counters& counters);

nlohmann::ordered_json counters_json(const vdla_counters& counters);

}  // namespace vdla::tools
