// SPDX-License-Identifier: Apache-2.0
// Launches of a function as a program has them.
#pragma once

#include <string>

#include "compiler/grid/kernels.h"
#include "runtime/grid/program.h"

namespace vdla::targets {

/// All but the text. `name_of`: of a kernel there.
gpu::Program launched(const grid::Launches& launches, std::string (*name_of)(const grid::Kernel&));

}  // namespace vdla::targets
