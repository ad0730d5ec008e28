// SPDX-License-Identifier: Apache-2.0
// A device step of a module as an experiment of the dynamic checker.
#pragma once

#include <cstdint>

#include "runtime/module/module.h"
#include "sim/check/explore.h"

namespace vdla::tools {

/// With seeded random bytes in the step's inputs.
sim::Experiment experiment_of(const runtime::DeviceStep& step, std::uint64_t seed);

}  // namespace vdla::tools
