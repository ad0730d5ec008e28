// SPDX-License-Identifier: Apache-2.0
// One small instruction for each point of ProgramCoverage. What is not legal is no example: so the rules
// decide what can be reached.
#include "isa/coverage/axes.h"
#include "isa/coverage/program.h"
#include "isa/semantics/nest.h"
#include "isa/spec/operations.h"
#include "support/element_with.h"

namespace vdla::isa {
namespace {

constexpr std::uint16_t kBackward = 0xffff;

std::uint16_t field(std::int64_t v) { return static_cast<std::uint16_t>(v); }

/// Base and stride with which two iterations stay in the buffer.
struct Walk {
  std::uint16_t base = 0, stride = 0;
};
Walk walk_of(StrideSign sign) {
  switch (sign) {
    case StrideSign::Still:
      return {0, 0};
    case StrideSign::Forward:
      return {0, 1};
    case StrideSign::Backward:
      return {1, kBackward};
  }
  return {};
}

MemoryInsn smallest_move(Opcode opcode) { return std::get<MemoryInsn>(smallest_insn(opcode)); }

/// All parts of a point's place.
class Indices {
 public:
  Indices(const CoverTable& table, std::size_t place) : table_(table), place_(place) {}
  std::size_t operator[](std::size_t axis) const { return table_.index(place_, axis); }
  Buffer buffer(std::size_t axis) const { return static_cast<Buffer>(kBuffers[(*this)[axis]].code); }

 private:
  const CoverTable& table_;
  std::size_t place_;
};

Insn tokens_example(const Indices& at) {
  Insn insn = smallest_insn(kTokenOpcodes[at[0]]);
  set_tokens(insn, static_cast<unsigned>(at[1]), static_cast<unsigned>(at[2]));
  return insn;
}

Insn move_example(const Indices& at) {
  MemoryInsn i = smallest_move(kMoveOpcodes[at[0]]);
  i.buffer = at.buffer(1);
  i.window = static_cast<Window>(kWindows[at[2]].code);
  i.widen = at[3] == 1;
  return i;
}

Insn padding_example(const Indices& at) {
  MemoryInsn i = smallest_move(kMoveOpcodes[at[0]]);
  i.buffer = at.buffer(1);
  i.x_pad_before = at[2] & 1u;
  i.x_pad_after = at[2] >> 1 & 1u;
  i.y_pad_before = at[2] >> 2 & 1u;
  i.y_pad_after = at[2] >> 3 & 1u;
  const auto data = static_cast<PaddedData>(at[3]);
  if (data == PaddedData::NoX || data == PaddedData::None) i.x_count = 0;
  if (data == PaddedData::NoY || data == PaddedData::None) i.y_count = 0;
  i.y_sram_stride = 3;
  i.pad_value = at[2] != 0 ? static_cast<std::int8_t>(-9 - static_cast<int>(at[2])) : std::int8_t{0};
  return i;
}

Insn alignment_example(const Indices& at) {
  MemoryInsn i = smallest_move(kMoveOpcodes[at[0]]);
  i.buffer = at.buffer(1);
  i.dram_offset = at[2];
  return i;
}

Insn dram_stride_example(const Indices& at, const Geometry& geometry) {
  MemoryInsn i = smallest_move(kMoveOpcodes[at[0]]);
  const unsigned block = 2 * piece_bytes(i, geometry);
  i.run = 2;
  const std::array<unsigned, 4> strides{0, block - 1, block, block + 5};
  const unsigned stride = strides[at[2]];
  if (at[1] == 0) {
    i.x_count = 2;
    i.x_dram_stride = stride;
  } else if (at[1] == 1) {
    i.y_count = 2;
    i.y_dram_stride = stride;
    i.y_sram_stride = 2;
  } else {
    i.z_count = 2;
    i.z_dram_stride = stride;
    i.z_sram_stride = 2;
  }
  return i;
}

Insn move_stride_example(const EntryStrideField& f, const Walk& walk) {
  MemoryInsn i = smallest_move(f.opcode);
  i.sram_base = walk.base;
  if (f.field->name == "y_sram_stride") {
    i.y_count = 2;
    i.y_sram_stride = walk.stride;
  } else {
    i.z_count = 2;
    i.z_sram_stride = walk.stride;
  }
  return i;
}

Insn entry_stride_example(const Indices& at) {
  static const std::vector<EntryStrideField> kFields = entry_stride_fields();
  const EntryStrideField& f = kFields[at[0]];
  const Walk walk = walk_of(static_cast<StrideSign>(at[1]));
  if (f.opcode == Opcode::Gemm) {
    GemmInsn i;
    GemmLevel& level = i.levels[f.level];
    level.count = 2;
    (f.operand == 0 ? i.acc_base : f.operand == 1 ? i.inp_base : i.wgt_base) = walk.base;
    (f.operand == 0 ? level.acc_stride : f.operand == 1 ? level.inp_stride : level.wgt_stride) = walk.stride;
    return i;
  }
  if (f.opcode == Opcode::Vector) {
    VectorInsn i;
    i.b_kind = VectorB::Par;
    VectorLevel& level = i.levels[f.level];
    level.count = 2;
    (f.operand == 0 ? i.dst_base : f.operand == 1 ? i.a_base : i.b_base) = walk.base;
    (f.operand == 0 ? level.dst_stride : f.operand == 1 ? level.a_stride : level.b_stride) = walk.stride;
    return i;
  }
  return move_stride_example(f, walk);
}

Insn entry_example(const Indices& at, const Geometry& geometry) {
  static const std::vector<EntryOperand> kOperands = entry_operands();
  const EntryOperand& o = kOperands[at[0]];
  const std::uint16_t entry = at[1] == 0 ? std::uint16_t{0} : field(geometry.depth(o.buffer) - 1);
  if (o.opcode == Opcode::Gemm) {
    GemmInsn i;
    (o.buffer == Buffer::Acc   ? i.acc_base
     : o.buffer == Buffer::Inp ? i.inp_base
     : o.buffer == Buffer::Wgt ? i.wgt_base
                               : i.uop_begin) = entry;
    return i;
  }
  if (o.opcode == Opcode::Vector) {
    VectorInsn i;
    if (o.role == "dst") {
      i.dst_buffer = o.buffer;
      i.dst_base = entry;
    } else if (o.role == "a") {
      i.a_buffer = o.buffer;
      i.a_base = entry;
      // a sum of rows reads inp whatever the shape of the array
      if (o.buffer == Buffer::Inp && geometry.block_in != geometry.block_out)
        i.op = element_with(kOperations, OperandA::Row, &Operation::a).op;
    } else {
      i.b_kind = VectorB::Par;
      i.b_base = entry;
    }
    return i;
  }
  MemoryInsn i = smallest_move(o.opcode);
  i.buffer = o.buffer;
  i.sram_base = entry;
  return i;
}

/// Two iterations of the levels in `loops`; the result moves along the levels that do not reduce.
template <class I, class Stride>
I nest(I i, unsigned loops, unsigned reduce, Stride stride) {
  for (unsigned l = 0; l < kLevels; ++l) {
    if ((loops >> l & 1u) == 0) continue;
    i.levels[l].count = 2;
    i.levels[l].*stride = (reduce >> l & 1u) != 0 ? 0 : 1;
  }
  return i;
}

Insn levels_example(const Indices& at) {
  const auto loops = static_cast<unsigned>(at[1]);
  if (kNestOpcodes[at[0]] == Opcode::Gemm) return nest(GemmInsn{}, loops, 0, &GemmLevel::acc_stride);
  return nest(VectorInsn{}, loops, 0, &VectorLevel::dst_stride);
}

std::optional<Insn> reduce_example(const Indices& at) {
  constexpr unsigned kAll = (1u << kLevels) - 1;
  const auto mask = static_cast<unsigned>(at[2]);
  if (kNestOpcodes[at[0]] == Opcode::Gemm) {
    GemmInsn i = nest(GemmInsn{}, kAll, mask, &GemmLevel::acc_stride);
    i.init = at[1] == 1;
    i.reduce_mask = static_cast<std::uint8_t>(mask);
    return i;
  }
  if (mask > kAll) return std::nullopt;  // vector has no micro-op loop
  VectorInsn i = nest(VectorInsn{}, kAll, mask, &VectorLevel::dst_stride);
  i.init = at[1] == 1;
  i.reduce_mask = static_cast<std::uint8_t>(mask);
  return i;
}

Insn vector_example(const Indices& at) {
  VectorInsn i;
  const Operation& row = kOperations[at[0]];
  i.op = row.op;
  i.dst_buffer = at.buffer(1);
  i.a_buffer = at.buffer(2);
  i.b_kind = static_cast<VectorB>(kVectorBs[at[3]].code);
  i.imm = i.b_kind == VectorB::Imm || row.fields.contains("imm") ? 3 : 0;
  i.shift = row.fields.contains("shift") ? 1 : 0;
  i.levels[4] = {4, 1, 1, 0};
  return i;
}

CoverExample uop_example(std::size_t place) {
  GemmInsn i;
  if (place >= kUopOne) {
    i.uop_count = place == kUopOne ? 1 : 2;
    return {i, std::vector<Uop>(i.uop_count)};
  }
  Uop uop;
  const Walk walk = walk_of(static_cast<StrideSign>(place % 3));
  (place / 3 == 0 ? i.acc_base : place / 3 == 1 ? i.inp_base : i.wgt_base) = walk.base;
  (place / 3 == 0 ? uop.acc : place / 3 == 1 ? uop.inp : uop.wgt) = walk.stride;
  return {i, {uop}};
}

Insn reuse_example(std::size_t place) {
  if (place < kGemmReuse) {
    GemmInsn i;
    i.levels[3].count = 3;
    i.levels[4] = {field(static_cast<std::int64_t>(place) + 1), 1, 0, 0};
    return i;
  }
  VectorInsn i;
  if (place < kGemmReuse + kVectorCReuse) {
    i.init = false;
    i.a_buffer = Buffer::Out;
    i.levels[3].count = 3;
    i.levels[4] = {field(static_cast<std::int64_t>(place - kGemmReuse) + 1), 1, 1, 0};
    return i;
  }
  const std::uint16_t distance = field(static_cast<std::int64_t>(place - kGemmReuse - kVectorCReuse) + 1);
  i.dst_base = distance;
  i.levels[4] = {field(2 * distance), 1, 1, 0};
  return i;
}

}  // namespace

std::optional<CoverExample> ProgramCoverage::example(CoverKind kind, std::size_t place) const {
  const Indices at((*this)[kind], place);
  std::optional<Insn> insn;
  std::vector<Uop> uops;
  switch (kind) {
    case CoverKind::Field:
      insn = bounds_[place].example;
      break;
    case CoverKind::Tokens:
      insn = tokens_example(at);
      break;
    case CoverKind::Move:
      insn = move_example(at);
      break;
    case CoverKind::Padding:
      insn = padding_example(at);
      break;
    case CoverKind::Alignment:
      insn = alignment_example(at);
      break;
    case CoverKind::DramStride:
      insn = dram_stride_example(at, geometry_);
      break;
    case CoverKind::EntryStride:
      insn = entry_stride_example(at);
      break;
    case CoverKind::Entry:
      insn = entry_example(at, geometry_);
      break;
    case CoverKind::Levels:
      insn = levels_example(at);
      break;
    case CoverKind::Reduce:
      insn = reduce_example(at);
      break;
    case CoverKind::Vector:
      insn = vector_example(at);
      break;
    case CoverKind::Uop: {
      CoverExample e = uop_example(place);
      insn = e.insn;
      uops = e.uops;
      break;
    }
    case CoverKind::Reuse:
      insn = reuse_example(place);
      break;
    case CoverKind::Rule:
    case CoverKind::Error:
      return std::nullopt;
  }
  if (!insn) return std::nullopt;
  if (const auto* gemm = std::get_if<GemmInsn>(&*insn); gemm != nullptr && uops.empty())
    uops.resize(gemm->uop_count);
  if (!can_execute(*insn, uops, geometry_)) return std::nullopt;
  return CoverExample{*insn, std::move(uops)};
}

}  // namespace vdla::isa
