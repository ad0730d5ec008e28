// SPDX-License-Identifier: Apache-2.0
// Loop IR that the table of lowering has gone over -> machine code of a CPU, by LLVM: in this process (Jit),
// or as an object file for this or another machine. compiler/targets/cpu/code/code.h runs the table first,
// and is what one calls with a function of a schedule; a function that still holds what a row removes is an
// InternalError here that names the row.
//
// A compiled function has the C signature `void name(void* const* params)`, one pointer per parameter of the
// loop::Func in its order, each to the buffer's element 0, aligned to its element type; the buffers must not
// overlap. It calls nothing but libm, aligned_alloc and free, and keeps no state. Parallel loops run on
// threads where the program sets the hook of support/parallel.h, else in the caller's.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/loop/stmt.h"
#include "support/parallel.h"

namespace vdla::codegen {

using HostFunction = void (*)(void* const* params);

/// A machine to compile for.
struct HostTarget {
  std::string triple;    ///< normalised, e.g. "aarch64-unknown-linux-gnu"
  std::string cpu;       ///< e.g. "znver4", "x86-64-v3", "cortex-a53"
  std::string features;  ///< e.g. "+neon"; may be empty
  /// False: for firmware, which its linker places once.
  bool position_independent = true;
};

/// The machine that this runs on, with everything that its CPU can do.
HostTarget native_target();
/// The machine that this runs on, reduced to what most machines of its kind can do; for object code that
/// travels.
HostTarget portable_target();
/// Targets in levels of what newer machines of the kind can do, the most demanding first (x86-64: AVX-512
/// with dot products, AVX-512, AVX2, SSE4); the last is portable_target(). The loader of the code takes the
/// first that its machine can run.
std::vector<HostTarget> portable_targets();

/// Calls of an operation (dot4) become an instruction of the target where it has one. Throws UserError for a
/// function that host code cannot express (a call of the device's intrinsics), or an unknown target.
std::string to_llvm_ir(const loop::Func& func, const HostTarget& target, bool optimise = true);
/// An ELF object with all functions. With a `source_file` its line tables lead from machine code to the lines
/// of loop::to_string(funcs), which the caller writes there: debuggers, profilers and disassemblers show loop
/// IR.
std::vector<std::byte> to_object(std::span<const loop::Func> funcs, const HostTarget& target,
                                 const std::string& source_file = {});

/// Compiles into this process. Functions live as long as the Jit.
class Jit {
 public:
  /// Parallel loops go through `hook`, which must outlive the Jit.
  explicit Jit(ParallelHook hook = {});
  Jit(Jit&&) noexcept;
  ~Jit();

  /// Names must be unique in one Jit.
  HostFunction add(const loop::Func& func);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vdla::codegen
