// SPDX-License-Identifier: Apache-2.0
// --cpu LEVEL: for which CPUs the machine code of kernels is, and for what machine their layouts and tiles
// are. And what a run says of code that is for other ones.
#pragma once

#include <string>
#include <vector>

#include "compiler/options/options.h"
#include "runtime/module/module.h"
#include "tools/vdla/common/command.h"

namespace vdla::tools {

/// Names of the levels, and for people what each is.
std::vector<std::string> cpu_levels();
std::string about_cpu_levels();

/// Sets code and machine of the options.
void set_cpu_level(pipeline::CompileOptions& options, const std::string& level);

/// Says where the module has machine code and none for this CPU, so that its steps are interpreted.
void say_interpreted(const runtime::Module& module, const Context& context);

}  // namespace vdla::tools
