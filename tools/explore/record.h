// SPDX-License-Identifier: Apache-2.0
// The record of one run: all that `vdla report` and `vdla explore` show, as JSON.
#pragma once

#include <string>
#include <vector>

#include "kit/session.h"
#include "runtime/session/session.h"
#include "tools/explore/json.h"

namespace vdla::explore {

inline constexpr std::string_view kRecordFormat = "vdla run record 1";
/// Remedy for a damaged file of a record (support/whole_json.h).
inline constexpr const char* kRecordAgain = "make it again with vdla run --record";

struct RecordOptions {
  bool pictures = true;  ///< with timeline and memory map
};

/// Throws InternalError when an account does not add up.
Json run_record(const runtime::Module& module, const std::string& engine, const runtime::Result& result,
                const std::vector<kit::StepProfile>& profiles, const RecordOptions& options);

/// The text of a record file; UserError when it is none.
Json parse_record(const std::string& text, const std::string& origin);

}  // namespace vdla::explore
