// SPDX-License-Identifier: Apache-2.0
// Loop IR -> machine code of a CPU: the table of lowering (compiler/passes/target.h), then code generation
// (compiler/codegen/llvm/host.h). Functions of a schedule are run by this.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "compiler/codegen/llvm/host.h"
#include "compiler/loop/stmt.h"

namespace vdla::host {

/// Lowers what compiler/lower gives to what code generation takes. A loop that is marked to be an intrinsic
/// of compiler/tensorize/host_table.h becomes one. UserError for a mark that does not fit, and for threads of
/// a grid that could not run together (compiler/passes/insert_barriers.cpp).
loop::Func lowered(const loop::Func& func);

/// codegen::to_llvm_ir() of lowered().
std::string to_llvm_ir(const loop::Func& func, const codegen::HostTarget& target, bool optimise = true);

/// codegen::to_object() of lowered().
std::vector<std::byte> to_object(std::span<const loop::Func> funcs, const codegen::HostTarget& target);

/// Compiles into this process. Functions live as long as the Jit.
class Jit {
 public:
  /// Parallel loops go through `hook`, which must outlive the Jit.
  explicit Jit(ParallelHook hook = {}) : jit_(hook) {}

  /// Names must be unique in one Jit.
  codegen::HostFunction add(const loop::Func& func) { return jit_.add(lowered(func)); }

 private:
  codegen::Jit jit_;
};

}  // namespace vdla::host
