// SPDX-License-Identifier: Apache-2.0
// The kinds of GPUs: a row for each, with its table of lowering and what makes programs of functions behind
// it.
#pragma once

#include <string_view>

#include "compiler/loop/stmt.h"
#include "compiler/passes/target.h"
#include "runtime/grid/program.h"

namespace vdla::targets {

struct GpuCode {
  std::string_view kind;  ///< one of runtime::kGpuKinds
  const passes::Target& (*table)();
  /// Makes a program of a function behind the table: its buffers are the function's parameters, then
  /// workspace.
  gpu::Program (*program)(const loop::Func& lowered);
};

/// UserError where this build of the kit lacks what makes such programs.
const GpuCode& gpu_code(std::string_view kind);

}  // namespace vdla::targets
