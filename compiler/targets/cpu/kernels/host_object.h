// SPDX-License-Identifier: Apache-2.0
// Object code of the CPU's kernels; nothing where the build has no LLVM (the loop program then runs on the
// interpreter).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "compiler/loop/stmt.h"
#include "compiler/observe/observe.h"
#include "compiler/options/options.h"

namespace vdla::pipeline {

/// Machine code of all host kernels, one global symbol each.
struct HostObject {
  std::string triple, cpu, features;
  std::vector<std::byte> elf;
};

/// One object for each level of CPUs that the options want, the most demanding first, or for each of its
/// other CPUs, of functions behind the table of lowering of CPUs.
std::vector<HostObject> host_objects(const std::vector<loop::Func>& funcs, const CompileOptions& options);

/// Shows what LLVM makes of such a function on its way into these objects. Nothing without LLVM.
void show_llvm_ir(const loop::Func& func, const CompileOptions& options, const Watch& watch);

}  // namespace vdla::pipeline
