// SPDX-License-Identifier: Apache-2.0
// Operations of warps in PTX: ldmatrix and mma, of compute capability 8.0. A lane has its part of a fragment
// as an array of words of 32 bits, which become registers since each index is known. Fragments of sums are
// cut in tiles of 16 x 8, four words each; those of the left operand in 16 rows with 32 bytes of terms, four
// words, and those of the right one in 8 rows, two words.
#include <llvm/IR/IntrinsicsNVPTX.h>

#include <numeric>
#include <utility>

#include "compiler/codegen/llvm/emit.h"
#include "compiler/expr/memory.h"
#include "compiler/expr/print.h"
#include "compiler/expr/simplify.h"
#include "compiler/expr/visit.h"
#include "compiler/grid/warp.h"
#include "compiler/loop/print.h"
#include "compiler/loop/visit.h"
#include "support/error.h"

namespace vdla::codegen {
namespace {

using grid::kFragmentColumns;
using grid::kFragmentRows;
using llvm::Value;

/// Bytes of a word, and of a row of 8 x 8 elements of 16 bits.
constexpr std::int64_t kWordBytes = 4, kRowBytes = 16;
constexpr std::int64_t kRightRows = 8;

struct Cell {
  std::int64_t row, column;
};

Cell cell_of(const EmitState& s, const expr::Buffer& buffer, std::int64_t offset) {
  const std::int64_t length = s.fragment_rows.at(&buffer);
  return {offset / length, offset % length};
}

std::string text_of(const loop::IntrinsicCall& call) {
  const std::string text = loop::to_string(loop::intrinsic_call(call));
  return text.substr(0, text.find('\n'));
}

/// First word, in each lane, of the fragment's tile that a region begins with.
std::int64_t first_word(const EmitState& s, const loop::IntrinsicCall& call, const loop::Region& region) {
  const auto offset = expr::as_constant(expr::simplify(region.origin.at(0), s.ranges));
  VDLA_CHECK_USER(offset) << "'" << text_of(call) << "' begins at '" << expr::to_string(region.origin[0])
                          << "' of '" << region.buffer->name
                          << "', and registers of a GPU have no index: unroll the loops around it";
  const expr::Buffer& buffer = *region.buffer;
  const Cell cell = cell_of(s, buffer, *offset);
  const bool is_sums = buffer.scope == grid::kSumScope;
  const std::int64_t rows = buffer.scope == grid::kRightScope ? kRightRows : kFragmentRows,
                     columns = is_sums ? kFragmentColumns : grid::kFragmentBytes / expr::bytes(buffer.dtype),
                     length = s.fragment_rows.at(&buffer), words = buffer.scope == grid::kRightScope ? 2 : 4;
  VDLA_CHECK_USER(cell.row % rows == 0 && cell.column % columns == 0 && length % columns == 0)
      << "'" << text_of(call) << "' begins at row " << cell.row << " and column " << cell.column << " of '"
      << buffer.name << "', which lies in parts of " << rows << " x " << columns
      << "; split the axes of its stage by these";
  return (cell.row / rows * (length / columns) + cell.column / columns) * words;
}

Value* word_pointer(EmitState& s, const expr::Buffer& buffer, std::int64_t word) {
  return s.builder.CreateConstInBoundsGEP1_64(s.builder.getInt32Ty(), s.buffers.at(&buffer),
                                              static_cast<std::uint64_t>(word));
}

llvm::Type* sum_type(EmitState& s, const expr::Buffer& buffer) {
  return expr::is_float(buffer.dtype) ? s.builder.getFloatTy()
                                      : static_cast<llvm::Type*>(s.builder.getInt32Ty());
}

Value* load_word(EmitState& s, const expr::Buffer& buffer, std::int64_t word, llvm::Type* type) {
  return s.builder.CreateAlignedLoad(type, word_pointer(s, buffer, word), llvm::Align(kWordBytes));
}

void store_word(EmitState& s, const expr::Buffer& buffer, std::int64_t word, Value* value) {
  s.builder.CreateAlignedStore(value, word_pointer(s, buffer, word), llvm::Align(kWordBytes));
}

/// ldmatrix.x4: four matrices of 8 rows of 16 bytes, whose rows the lanes point at. Of the left operand the
/// second one has the rows below, of the right one the terms behind.
void emit_load_operand(EmitState& s, const loop::IntrinsicCall& call) {
  auto& b = s.builder;
  const loop::Region &to = call.outputs[0], &from = call.inputs[0];
  const std::int64_t bytes = expr::bytes(from.buffer->dtype);
  const expr::Affine first = expr::to_affine(from.origin.at(0));
  std::int64_t divisor = std::gcd(first.constant, from.strides[0]);
  for (const expr::Affine::Term& t : first.terms) divisor = std::gcd(divisor, t.coefficient);
  VDLA_CHECK_USER(divisor * bytes % kRowBytes == 0)
      << "'" << text_of(call) << "' reads rows of '" << from.buffer->name << "' that are multiples of "
      << divisor * bytes << " bytes apart, needs multiples of " << kRowBytes
      << "; pad_stride by a multiple of " << kRowBytes / bytes;
  const bool is_left = call.name == grid::kLoadLeft;
  Value* lane = s.backend.grid()->index(s, expr::ForKind::ThreadX);
  Value* half = b.CreateAnd(b.CreateLShr(lane, 3), 1);
  Value* quarter = b.CreateLShr(lane, 4);
  Value* row = b.CreateAdd(b.CreateAnd(lane, 7), b.CreateShl(is_left ? half : quarter, 3));
  Value* offset =
      b.CreateAdd(b.CreateMul(row, b.getInt32(static_cast<std::uint32_t>(from.strides[0] * bytes))),
                  b.CreateMul(is_left ? quarter : half, b.getInt32(kRowBytes)));
  // Terms of the lane go first, so that they are computed once.
  Value* base = b.CreateGEP(b.getInt8Ty(), s.buffers.at(from.buffer.get()), offset);
  Value* pointer = nullptr;
  {
    Value*& place = s.buffers.at(from.buffer.get());
    Value* outside = std::exchange(place, base);
    pointer = element_pointer(s, *from.buffer, from.origin);
    place = outside;
  }
  Value* read = b.CreateIntrinsic(llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_b16,
                                  {pointer->getType()}, {pointer});
  const std::int64_t word = first_word(s, call, to);
  const std::int64_t per_row = s.fragment_rows.at(to.buffer.get()) * bytes / grid::kFragmentBytes;
  for (unsigned i = 0; i < 4; ++i) {
    // The right operand's rows 8 to 15 are a tile of their own.
    const std::int64_t place = is_left ? word + i : word + i / 2 * (2 * per_row) + i % 2;
    store_word(s, *to.buffer, place, b.CreateExtractValue(read, i));
  }
}

void emit_fill(EmitState& s, const loop::IntrinsicCall& call) {
  const expr::Buffer& sums = *call.outputs[0].buffer;
  const std::int64_t word = first_word(s, call, call.outputs[0]);
  for (std::int64_t i = 0; i < 4; ++i)
    store_word(s, sums, word + i, llvm::Constant::getNullValue(sum_type(s, sums)));
}

void emit_multiply(EmitState& s, const loop::IntrinsicCall& call) {
  auto& b = s.builder;
  const expr::Buffer &sums = *call.outputs[0].buffer, &left = *call.inputs[0].buffer,
                     &right = *call.inputs[1].buffer;
  using namespace llvm::Intrinsic;
  llvm::Type* word = b.getInt32Ty();
  if (left.dtype == expr::DType::F16) word = llvm::FixedVectorType::get(b.getHalfTy(), 2);
  const bool is_tf32 = left.dtype == expr::DType::F32;
  const ID id = left.dtype == expr::DType::F16    ? nvvm_mma_m16n8k16_row_col_f32_f32
                : left.dtype == expr::DType::BF16 ? nvvm_mma_m16n8k16_row_col_bf16
                : is_tf32                         ? nvvm_mma_m16n8k8_row_col_tf32
                                                  : nvvm_mma_m16n8k32_row_col_s8;
  const auto factor = [&](const expr::Buffer& buffer, std::int64_t at) -> Value* {
    if (!is_tf32) return load_word(s, buffer, at, word);
    return b.CreateIntrinsic(nvvm_f2tf32_rna, {}, {load_word(s, buffer, at, b.getFloatTy())});
  };
  std::vector<Value*> operands;
  const std::int64_t of_left = first_word(s, call, call.inputs[0]),
                     of_right = first_word(s, call, call.inputs[1]),
                     of_sums = first_word(s, call, call.outputs[0]);
  for (std::int64_t i = 0; i < 4; ++i) operands.push_back(factor(left, of_left + i));
  for (std::int64_t i = 0; i < 2; ++i) operands.push_back(factor(right, of_right + i));
  for (std::int64_t i = 0; i < 4; ++i) operands.push_back(load_word(s, sums, of_sums + i, sum_type(s, sums)));
  Value* result = b.CreateIntrinsic(id, {}, operands);
  for (unsigned i = 0; i < 4; ++i) store_word(s, sums, of_sums + i, b.CreateExtractValue(result, i));
}

}  // namespace

std::unordered_map<const expr::Buffer*, std::int64_t> fragment_rows_of(const grid::Kernel& kernel) {
  std::unordered_map<const expr::Buffer*, std::int64_t> rows;
  loop::visit(kernel.func.body, [&](const loop::StmtPtr& s) {
    const auto* n = s->as<loop::IntrinsicCall>();
    if (!n || !grid::is_of_warp(*n)) return;
    for (const auto* regions : {&n->outputs, &n->inputs})
      for (const loop::Region& region : *regions) {
        if (!grid::is_fragment(*region.buffer)) continue;
        const auto [found, is_new] = rows.try_emplace(region.buffer.get(), region.strides[0]);
        VDLA_CHECK_USER(found->second == region.strides[0])
            << "'" << text_of(*n) << "' has rows of '" << region.buffer->name << "' that are "
            << region.strides[0] << " elements apart, another operation " << found->second
            << "; give a fragment one shape";
      }
  });
  return rows;
}

void emit_of_warp(EmitState& s, const loop::IntrinsicCall& call) {
  ++s.warp_operations;
  if (call.name == grid::kMultiply) return emit_multiply(s, call);
  if (call.name == grid::kFillSums) return emit_fill(s, call);
  emit_load_operand(s, call);
}

Value* emit_fragment_load(EmitState& s, const expr::Load& load) {
  auto& b = s.builder;
  const expr::Buffer& buffer = *load.buffer;
  const auto refuse = [&](const std::string& why) {
    throw UserError("an element of '" + buffer.name + "' is read at '" + expr::to_string(load.indices[0]) +
                    "', " + why);
  };
  if (buffer.scope != grid::kSumScope || !s.lane || !s.fragment_rows.contains(&buffer))
    refuse("and in a kernel threads of a loop over thread.x read sums of mma.sync alone");
  const auto* first = s.lanes.variable ? llvm::dyn_cast<llvm::ConstantInt>(s.lanes.first) : nullptr;
  const unsigned count = s.lanes.variable ? s.lanes.count : 1;
  Value* result = nullptr;
  for (unsigned i = 0; i < count; ++i) {
    std::optional<std::int64_t> word;
    for (std::int64_t lane = 0; lane < grid::kWarpLanes; ++lane) {
      expr::Substitution values{{s.lane, expr::int_imm(lane)}};
      if (first)
        for (const expr::VarPtr& var : expr::variables_of(load.indices[0]))
          if (var.get() == s.lanes.variable) values[var] = expr::int_imm(first->getSExtValue() + i);
      const auto offset = expr::as_constant(expr::simplify(expr::substitute(load.indices[0], values), {}));
      if (!offset) refuse("which no number of a lane decides: unroll the loops around it");
      const Cell cell = cell_of(s, buffer, *offset);
      const grid::Owner owner = grid::owner_of_sum(cell.row % kFragmentRows, cell.column % kFragmentColumns);
      if (owner.lane != lane)
        refuse("which lane " + std::to_string(lane) + " does not have, but lane " +
               std::to_string(owner.lane) +
               ": of a tile of 16 x 8, lane 4 * g + q has rows g and g + 8, columns 2 * q and 2 * q + 1");
      const std::int64_t tile = cell.row / kFragmentRows * (s.fragment_rows.at(&buffer) / kFragmentColumns) +
                                cell.column / kFragmentColumns;
      const std::int64_t own = tile * 4 + owner.element;
      if (word && *word != own) refuse("which is another one of its own elements in each lane");
      word = own;
    }
    Value* value = load_word(s, buffer, *word, sum_type(s, buffer));
    if (!s.lanes.variable) return value;
    if (!result) result = llvm::PoisonValue::get(llvm::FixedVectorType::get(value->getType(), count));
    result = b.CreateInsertElement(result, value, static_cast<std::uint64_t>(i));
  }
  return result;
}

}  // namespace vdla::codegen
