// SPDX-License-Identifier: Apache-2.0
// Emission of what only kernels of a grid have: loops over blocks and threads, and indices of 32 bits.
#include "compiler/codegen/llvm/emit.h"
#include "compiler/expr/width.h"
#include "support/error.h"

namespace vdla::codegen {

using llvm::Value;

Features grid_features() {
  Features f;
  f.keeps_vector_loops = false;
  f.narrows_indices = true;
  f.alignment = 16;  // alignment of the longest access
  return f;
}

IndexWidth::IndexWidth(EmitState& state, bool narrow) : state_(state), outside_(state.index_type) {
  state.index_type = narrow ? state.builder.getInt32Ty() : state.builder.getInt64Ty();
}

bool is_narrow(const EmitState& s, const expr::ExprPtr& e) {
  return s.features.narrows_indices && expr::fits_32_bits(e, s.ranges);
}

bool is_narrow(const EmitState& s, const expr::Affine& a) {
  if (!s.features.narrows_indices) return false;
  __int128 largest = a.constant < 0 ? -__int128{a.constant} : a.constant;
  for (const expr::Affine::Term& t : a.terms) {
    const auto range = expr::bounds(t.atom, s.ranges);
    if (!range || !expr::fits_32_bits(t.atom, s.ranges)) return false;
    const __int128 low = __int128{range->low} * t.coefficient, high = __int128{range->high} * t.coefficient;
    largest += std::max(low < 0 ? -low : low, high < 0 ? -high : high);
  }
  return largest <= INT32_MAX;
}

Value* in_index_width(EmitState& s, Value* value) {
  return s.builder.CreateSExtOrTrunc(value, type_like(s.index_type, value));
}

void bind_kernel_parameter(EmitState& s, const loop::Param& param, llvm::Argument& argument) {
  bind_parameter(s, param, argument, param.direction != loop::Direction::InOut);
  argument.addAttr(llvm::Attribute::getWithAlignment(s.context(), llvm::Align(s.features.alignment)));
}

void emit_grid_loop(EmitState& s, const loop::For& n) {
  VDLA_CHECK(s.kernel && s.backend.grid()) << "loop '" << n.var->name << "' of a grid outside of a kernel";
  auto& b = s.builder;
  const bool is_thread = expr::is_thread(n.kind);
  const std::int64_t extent = *expr::as_constant(n.extent);
  const std::int64_t launched =
      is_thread ? s.kernel->threads[grid::thread_index(n.kind)] : s.kernel->blocks[grid::block_index(n.kind)];
  Value* index = s.backend.grid()->index(s, n.kind);
  s.variables[n.var.get()] = index;
  s.ranges[n.var] = {0, extent - 1};
  const expr::VarPtr lane_outside = s.lane;
  if (n.kind == expr::ForKind::ThreadX) s.lane = n.var;
  if (extent == launched) {
    emit_stmt(s, n.body);
    s.lane = lane_outside;
    return;
  }
  llvm::Function* function = b.GetInsertBlock()->getParent();
  auto* body = llvm::BasicBlock::Create(s.context(), n.var->name, function);
  auto* after = llvm::BasicBlock::Create(s.context(), n.var->name + ".end", function);
  b.CreateCondBr(b.CreateICmpULT(index, b.getInt32(static_cast<std::uint32_t>(extent))), body, after);
  b.SetInsertPoint(body);
  emit_stmt(s, n.body);
  b.CreateBr(after);
  b.SetInsertPoint(after);
  s.lane = lane_outside;
}

}  // namespace vdla::codegen
