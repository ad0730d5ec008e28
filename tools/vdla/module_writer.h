// SPDX-License-Identifier: Apache-2.0
// What the compiler made, as what the runtime runs: the one place where both meet.
#pragma once

#include "compiler/pipeline/compile.h"
#include "runtime/module.h"

namespace vdla::tools {

runtime::Module to_module(const pipeline::CompiledModel& model);

}  // namespace vdla::tools
