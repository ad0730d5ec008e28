// SPDX-License-Identifier: Apache-2.0
// Loop IR -> LLVM IR; private to this folder.
//
// The rules of compiler/form/form.h for the machine hold: what they exclude has no translation here. Inside a
// vectorized loop a value that differs between the iterations is an LLVM vector with one lane each, all
// others stay scalars.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <unordered_map>
#include <unordered_set>

#include "compiler/codegen/llvm/backend.h"
#include "compiler/codegen/llvm/debug_info.h"
#include "compiler/expr/affine.h"
#include "compiler/grid/kernels.h"
#include "compiler/loop/stmt.h"

namespace vdla::codegen {

/// Adds `func` to the module under its name, for a CPU; `debug` may be null. InternalError naming the row of
/// the table of lowering that was left out where a rule does not hold.
void emit_function(llvm::Module& module, const loop::Func& func, const Backend& backend, DebugInfo* debug);

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
  const Backend& backend;
  const Features features;
  DebugInfo* debug;                  ///< null: none is wanted
  const grid::Kernel* kernel;        ///< null: a function that is none
  const loop::Stmt* stmt = nullptr;  ///< statement that is being emitted
  llvm::IRBuilder<> builder;
  std::unordered_map<const expr::Variable*, llvm::Value*> variables;
  std::unordered_map<const expr::Buffer*, llvm::Value*> buffers;
  Lanes lanes;
  /// Ranges of the loops around, where the machine narrows indices.
  expr::Ranges ranges;
  llvm::IntegerType* index_type;                 ///< type of the index that is being emitted
  int vector_loops = 0;                          ///< vector loops that were emitted so far
  int warp_operations = 0;                       ///< operations of warps that were emitted so far
  std::unordered_set<const loop::Stmt*> copies;  ///< stores that the machine's copier may do
  /// Iterations whose copies a barrier leaves under way, for barriers that do not wait for all.
  std::unordered_map<const loop::Stmt*, std::int64_t> groups_left;
  std::vector<llvm::Value*> heap;                                       ///< to be freed at the function's end
  std::unordered_map<const expr::Buffer*, std::int64_t> fragment_rows;  ///< elements from a row to the next
  /// Variable of the loop over thread.x around.
  expr::VarPtr lane;

  /// A product and the sum that it goes into may be rounded once.
  EmitState(llvm::Module& module_, const Backend& backend_, DebugInfo* debug_,
            const grid::Kernel* kernel_ = nullptr)
      : module(module_),
        backend(backend_),
        features(backend_.features()),
        debug(debug_),
        kernel(kernel_),
        builder(module_.getContext()),
        index_type(builder.getInt64Ty()) {
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
/// A load of `type` from an element on, which is told how well its address is aligned.
llvm::Value* emit_wide_load(EmitState& state, llvm::Type* type, const expr::Buffer& buffer,
                            const std::vector<expr::ExprPtr>& indices);
/// Between the two, in every lane.
llvm::Value* to_memory(EmitState& state, expr::DType dtype, llvm::Value* value);
llvm::Value* from_memory(EmitState& state, expr::DType dtype, llvm::Value* value);

/// Indices that are emitted while it lives are 32 bits wide, or 64.
class IndexWidth {
 public:
  IndexWidth(EmitState& state, bool narrow);
  IndexWidth(const IndexWidth&) = delete;
  IndexWidth& operator=(const IndexWidth&) = delete;
  ~IndexWidth() { state_.index_type = outside_; }

 private:
  EmitState& state_;
  llvm::IntegerType* outside_;
};
/// Whether 32 bits are enough for the expression, and the machine is faster with them.
bool is_narrow(const EmitState& state, const expr::ExprPtr& e);
/// Whether it is so for every sum of some of the terms.
bool is_narrow(const EmitState& state, const expr::Affine& a);
/// An index in the width of those that are being emitted.
llvm::Value* in_index_width(EmitState& state, llvm::Value* value);

llvm::Value* emit_expr(EmitState& state, const expr::ExprPtr& e);
void emit_stmt(EmitState& state, const loop::StmtPtr& stmt);
/// A loop over blocks or threads: one iteration, where the thread has it.
void emit_grid_loop(EmitState& state, const loop::For& n);
/// Makes the argument the parameter's address. `is_alone`: what is stored there can be seen in no other way.
void bind_parameter(EmitState& state, const loop::Param& param, llvm::Argument& argument, bool is_alone);
/// Binds a parameter of a kernel. Elements that threads both write and read stay in memory: a barrier is no
/// call that LLVM expects to change what an argument alone leads to.
void bind_kernel_parameter(EmitState& state, const loop::Param& param, llvm::Argument& argument);
/// How fragments lie: what operations of warps say of them.
std::unordered_map<const expr::Buffer*, std::int64_t> fragment_rows_of(const grid::Kernel& kernel);
/// An operation of a thread in PTX.
void emit_of_thread(EmitState& state, const loop::IntrinsicCall& call);
/// An operation of a warp in PTX, of which each lane has its part of the fragments in registers. UserError
/// where those are not known or shared memory is not aligned.
void emit_of_warp(EmitState& state, const loop::IntrinsicCall& call);
/// An element of a fragment, or one in each lane of a vector, where the lane of the warp has it.
llvm::Value* emit_fragment_load(EmitState& state, const expr::Load& load);
/// A call of an operation of the CPU. UserError for others.
void emit_intrinsic(EmitState& state, const loop::IntrinsicCall& call);
/// Function::BytesDot, added to `sum` (or null).
llvm::Value* emit_bytes_dot(EmitState& state, llvm::Value* sum, llvm::Value* a, llvm::Value* b);
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
/// `emit` of numbers, or of vectors of them once for each lane.
llvm::Value* emit_in_lanes(EmitState& state, const std::vector<llvm::Value*>& arguments,
                           llvm::function_ref<llvm::Value*(const std::vector<llvm::Value*>&)> emit);
/// The C library's function of that name, for floats with an f behind it; once for each lane.
llvm::Value* emit_libm(EmitState& state, const std::string& name, const std::vector<llvm::Value*>& arguments);

}  // namespace vdla::codegen
