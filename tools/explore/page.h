// SPDX-License-Identifier: Apache-2.0
// One HTML file that needs nothing else: data, style and scripts inside.
#pragma once

#include <string>

#include "tools/explore/record.h"

namespace vdla::explore {

std::string compare_page(const Json& comparison);
std::string explore_page(const Json& results);
std::string report_page(const Json& record);
/// Page of a search for knobs, as `vdla tune` describes it.
std::string tune_page(const Json& search);

}  // namespace vdla::explore
