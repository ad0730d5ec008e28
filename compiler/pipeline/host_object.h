// SPDX-License-Identifier: Apache-2.0
// Object code of the CPU's kernels; nothing where the build has no LLVM (the loop program then runs on the
// interpreter).
#pragma once

#include <vector>

#include "compiler/loop/stmt.h"
#include "compiler/pipeline/compile.h"

namespace vdla::pipeline {

/// For machines of this one's kind; with `levels` also for what newer ones can do, the most demanding first.
std::vector<HostObject> host_objects(const std::vector<loop::Func>& funcs, bool levels);

}  // namespace vdla::pipeline
