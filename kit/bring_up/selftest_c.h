// SPDX-License-Identifier: Apache-2.0
// The plan of a self test as C, for firmware.
#pragma once

#include <string>

#include "driver/selftest/selftest.h"

namespace vdla::kit {

/// A C99 file that defines `const vdla_selftest_plan vdla_selftest_plan_of_board`.
std::string selftest_c(const vdla_selftest_plan& plan);

}  // namespace vdla::kit
