// SPDX-License-Identifier: Apache-2.0
// JSON whose keys keep their order: what records, points of sweeps and pages are made of.
#pragma once

#include <nlohmann/json.hpp>

namespace vdla::explore {

using Json = nlohmann::ordered_json;

}  // namespace vdla::explore
