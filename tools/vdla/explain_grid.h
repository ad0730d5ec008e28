// SPDX-License-Identifier: Apache-2.0
// vdla explain NETWORK --target opencl: how layers are computed on a machine with a grid.
#pragma once

#include <string>
#include <vector>

#include "tools/vdla/command.h"
#include "tools/vdla/compile_flags.h"

namespace vdla::tools {

struct GridLayers {
  std::string file;
  std::vector<std::string> schedules, loops;  ///< of these nodes
};

/// UserError where no layer is asked for, or other options of a compile are given: networks do not run there
/// yet.
void explain_grid(const GridLayers& layers, const CompileFlags& flags, const Context& context);

}  // namespace vdla::tools
