// SPDX-License-Identifier: Apache-2.0
// Questions of LLVM IR's emission to the machine that code is made for; private to this folder. There are
// three machines: CPUs (cpu.h), GPUs by PTX (ptx.cpp) and the emulator of GPUs (emulated.cpp). What they have
// in common is in emit_*.cpp, once.
#pragma once

#include <llvm/IR/Value.h>

#include <cstdint>
#include <vector>

#include "compiler/loop/stmt.h"

namespace vdla::codegen {

struct EmitState;

/// Instruction of a dot product of four elements.
enum class DotInstruction : std::uint8_t {
  None,      ///< multiplications and additions
  PairSums,  ///< x86: products of 16 bits, sums of pairs (pmaddwd)
  Vnni,      ///< x86: vpdpbusd, u8 * i8
  NeonDot,   ///< AArch64: sdot, i8 * i8
};

struct Features {
  DotInstruction dot = DotInstruction::None;
  unsigned vector_bytes = 16;          ///< bytes of the longest vector of integers that the instruction takes
  bool multiplies_even_lanes = false;  ///< x86: pmuldq, to 64 bits
  bool keeps_vector_loops = true;      ///< around vector code LLVM is not to write loops out
  bool narrows_indices = false;        ///< to 32 bits, where they are proven to fit
  /// Bytes: every buffer begins at a multiple, and an access of several elements is told the largest one up
  /// to this that its offset has. 1: an access is only aligned to its element.
  std::uint64_t alignment = 1;
};

/// Features of every machine with a grid, the emulator too: what it puts to the test is what GPUs get.
Features grid_features();

/// Blocks, threads and barriers.
class Grid {
 public:
  virtual ~Grid() = default;
  /// The number of the thread, or of its block, in the dimension of the loop's kind. i32.
  virtual llvm::Value* index(EmitState& state, expr::ForKind kind) const = 0;
  /// `stmt` is the call.
  virtual void barrier(EmitState& state, const loop::Stmt& stmt) const = 0;
  /// An operation of a thread, or one that the lanes of a warp do together (compiler/grid/thread.h, warp.h).
  virtual void operation(EmitState& state, const loop::IntrinsicCall& call) const = 0;
  /// Whether each lane has its part of a fragment alone; else each has all of it, as memory like any other.
  virtual bool parts_fragments() const = 0;
};

/// Copies to memory @shared in the background, which a barrier waits for.
class Copier {
 public:
  virtual ~Copier() = default;
  virtual bool takes(std::uint64_t bytes) const = 0;
  /// Both pointers are multiples of `bytes`. `condition`, an i1, or null: where it does not hold, zeros.
  virtual void copy(EmitState& state, llvm::Value* to, llvm::Value* from, std::uint64_t bytes,
                    llvm::Value* condition) const = 0;
};

/// Receiver of each access to memory.
class Watcher {
 public:
  virtual ~Watcher() = default;
  /// `bytes` from `pointer` on, an i64; 0 in a lane that does not take part.
  virtual void access(EmitState& state, const expr::Buffer& buffer, llvm::Value* pointer, llvm::Value* bytes,
                      bool writes) const = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual Features features() const = 0;
  /// Null: loops run in order.
  virtual const Grid* grid() const = 0;
  /// Null: accesses are not watched.
  virtual const Watcher* watcher() const { return nullptr; }
  /// Null: threads store what they fetch.
  virtual const Copier* copier() const { return nullptr; }
  /// The address of element 0 of memory that a statement allocates.
  virtual llvm::Value* allocate(EmitState& state, const expr::Buffer& buffer) const = 0;
  /// A function that is no instruction (exp, sin, pow, fmod, ...) of floats or vectors of floats. UserError
  /// that names it where the machine has no code for it.
  virtual llvm::Value* function(EmitState& state, expr::Function function,
                                const std::vector<llvm::Value*>& arguments) const = 0;
};

}  // namespace vdla::codegen
