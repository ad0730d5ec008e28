// SPDX-License-Identifier: Apache-2.0
// The kinds of GPUs, which compute host steps as programs beside the device and the CPU: a row for each has
// what a compile asks of it. docs/how-to/add-a-target.md adds one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/loop/stmt.h"
#include "compiler/options/options.h"
#include "compiler/passes/target.h"
#include "runtime/grid/program.h"

namespace vdla::targets {

struct GpuCode {
  std::string_view kind;     ///< as of --target
  std::string_view machine;  ///< machine that templates are for unless another is asked for (--gpu-machine)
  /// Whether its devices name buffers and lines of loops in messages: buffers lie apart then, and programs
  /// keep their loops.
  bool names_memory;
  const passes::Target& (*table)();
  /// Makes a program of a function behind the table: its buffers are the function's parameters, then
  /// workspace.
  gpu::Program (*program)(const loop::Func& lowered);
};

/// Returns the names of all kinds, whether this build can make their programs or not.
std::vector<std::string> gpu_kinds();

/// UserError for another name, and where this build of the kit lacks what makes such programs.
const GpuCode& gpu_code(std::string_view kind);

/// Returns what a compile for a kind is asked for; `machine` empty: that of the kind's row.
pipeline::GpuOptions gpu_options(const std::string& kind, const std::string& machine);

}  // namespace vdla::targets
