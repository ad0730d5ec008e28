// SPDX-License-Identifier: Apache-2.0
// Object code of the CPU's kernels; nothing where the build has no LLVM (the loop program then runs on the
// interpreter).
#pragma once

#include <vector>

#include "compiler/loop/stmt.h"
#include "compiler/pipeline/compile.h"

namespace vdla::pipeline {

std::vector<HostObject> host_objects(const std::vector<loop::Func>& funcs);

}  // namespace vdla::pipeline
