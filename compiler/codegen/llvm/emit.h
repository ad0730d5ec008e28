// SPDX-License-Identifier: Apache-2.0
// Loop IR -> LLVM IR; private to this folder.
//
// The rules of compiler/form/form.h for CPUs hold: what they exclude has no translation here. Inside a
// vectorized loop a value that differs between the iterations is an LLVM vector with one lane each, all
// others stay scalars.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <unordered_map>

#include "compiler/codegen/llvm/debug_info.h"
#include "compiler/expr/affine.h"
#include "compiler/loop/stmt.h"

namespace vdla::codegen {

/// What a dot product of four elements becomes.
enum class DotInstruction : std::uint8_t {
  None,      ///< multiplications and additions
  PairSums,  ///< x86: products of 16 bits, sums of pairs (pmaddwd)
  Vnni,      ///< x86: vpdpbusd, u8 * i8
  NeonDot,   ///< AArch64: sdot, i8 * i8
};

/// The machine that code is made for, as far as emission asks.
struct HostFeatures {
  DotInstruction dot = DotInstruction::None;
  unsigned vector_bytes = 16;          ///< of the longest vector of integers that the instruction takes
  bool multiplies_even_lanes = false;  ///< x86: pmuldq, to 64 bits
};

/// Adds `func` to the module under its name; `debug` may be null. InternalError naming the row of the table
/// of lowering that was left out where a rule does not hold.
void emit_function(llvm::Module& module, const loop::Func& func, const HostFeatures& features,
                   DebugInfo* debug);

/// The loop whose iterations are the lanes of vectors.
struct Lanes {
  const expr::Variable* variable = nullptr;  ///< null: everything is scalar
  unsigned count = 1;
  llvm::Value* first = nullptr;  ///< value of the variable in lane 0
  llvm::Value* mask = nullptr;   ///< lanes that may touch memory; null: all
};

/// Values of the function being emitted.
struct EmitState {
  llvm::Module& module;
  const HostFeatures& features;
  DebugInfo* debug;  ///< null: none is wanted
  llvm::IRBuilder<> builder;
  std::unordered_map<const expr::Variable*, llvm::Value*> variables;
  std::unordered_map<const expr::Buffer*, llvm::Value*> buffers;
  Lanes lanes;
  int vector_loops = 0;            ///< that were emitted so far
  std::vector<llvm::Value*> heap;  ///< to be freed at the function's end

  /// A product and the sum that it goes into may be rounded once.
  EmitState(llvm::Module& m, const HostFeatures& f, DebugInfo* d)
      : module(m), features(f), debug(d), builder(m.getContext()) {
    llvm::FastMathFlags flags;
    flags.setAllowContract(true);
    builder.setFastMathFlags(flags);
  }
  llvm::LLVMContext& context() { return module.getContext(); }
};

/// Type of a value in a register: bool is i1, F16 and BF16 are a float that they hold exactly.
llvm::Type* register_type(llvm::LLVMContext& context, expr::DType dtype);
/// Type of an element in memory: bool is i8, F16 half, BF16 i16.
llvm::Type* memory_type(llvm::LLVMContext& context, expr::DType dtype);
/// `scalar`, or a vector of it where `like` is one.
llvm::Type* type_like(llvm::Type* scalar, llvm::Value* like);
/// A scalar in every lane; a vector as it is.
llvm::Value* in_every_lane(EmitState& state, llvm::Value* value);
/// Makes one of two values a vector where the other is.
void match_lanes(EmitState& state, llvm::Value*& a, llvm::Value*& b);
/// `mask` and `condition`, where null stands for all lanes.
llvm::Value* narrow_mask(EmitState& state, llvm::Value* mask, llvm::Value* condition);

/// An element, or one in each lane. Inactive lanes of a masked load are zero.
llvm::Value* emit_load(EmitState& state, const expr::Load& load);
void emit_store(EmitState& state, const loop::Store& store);
/// Address of an element outside of vector code.
llvm::Value* element_pointer(EmitState& state, const expr::Buffer& buffer,
                             const std::vector<expr::ExprPtr>& indices);
/// Between the two, in every lane.
llvm::Value* to_memory(EmitState& state, expr::DType dtype, llvm::Value* value);
llvm::Value* from_memory(EmitState& state, expr::DType dtype, llvm::Value* value);

llvm::Value* emit_expr(EmitState& state, const expr::ExprPtr& e);
void emit_stmt(EmitState& state, const loop::StmtPtr& stmt);
/// A call of an operation of the CPU. UserError for others.
void emit_intrinsic(EmitState& state, const loop::IntrinsicCall& call);
/// `stmt` holds the loop.
void emit_parallel(EmitState& state, const loop::Stmt& stmt);
/// body(counter) for counter = first, first + 1, ... below end; returns the branch back.
llvm::Instruction* emit_counted(EmitState& state, const std::string& name, llvm::Value* first,
                                llvm::Value* end, llvm::function_ref<void(llvm::Value*)> body);
/// Gives back the memory of large buffers, at the function's end.
void free_heap(EmitState& state);

/// exp, log, tanh and erf of vectors of floats by polynomials (emit_math.cpp has the error
/// bounds); null for other functions.
llvm::Value* emit_polynomial(EmitState& state, expr::Function function, llvm::Value* x);

}  // namespace vdla::codegen
