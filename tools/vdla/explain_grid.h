// SPDX-License-Identifier: Apache-2.0
// vdla explain NETWORK --target opencl or cuda, with --schedule or --loops: how layers are computed on a
// machine with a grid.
#pragma once

#include <string>
#include <vector>

#include "tools/vdla/command.h"
#include "tools/vdla/compile_flags.h"

namespace vdla::tools {

struct GridLayers {
  std::string file;
  std::vector<std::string> schedules, loops;  ///< texts of these nodes
};

/// UserError where options of a compile are given that change no kernel.
void explain_grid(const GridLayers& layers, const CompileFlags& flags, const Context& context);

}  // namespace vdla::tools
