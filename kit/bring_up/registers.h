// SPDX-License-Identifier: Apache-2.0
// Meanings of the registers' values, for people: "busy", "window: a DRAM access leaves its window", "waits at
// instruction 12 since cycle 88 for a token from gemm".
#pragma once

#include <string>
#include <vector>

#include "runtime/device/recording.h"

namespace vdla::kit {

/// One text for each of runtime::register_places(), empty where the number says it all. Values of two
/// registers are with the low one.
std::vector<std::string> meanings(const runtime::Recording& recording);

}  // namespace vdla::kit
