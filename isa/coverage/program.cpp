// SPDX-License-Identifier: Apache-2.0
#include "isa/coverage/program.h"

#include <algorithm>

#include "isa/codec/codec.h"
#include "isa/coverage/axes.h"
#include "isa/coverage/breakers.h"
#include "isa/semantics/uop_buffer.h"
#include "isa/spec/errors.h"
#include "isa/spec/operations.h"
#include "isa/verify/footprint.h"

namespace vdla::isa {
namespace {

/// Instructions of more steps are not searched for reuse: their pattern repeats.
constexpr std::uint64_t kReuseSteps = 4096;

template <class List>
std::size_t position(const List& list, Opcode opcode) {
  return static_cast<std::size_t>(std::ranges::find(list, opcode) - list.begin());
}

StrideSign sign_of(std::uint16_t stride) {
  if (stride == 0) return StrideSign::Still;
  return stride < kMaxDepth / 2 ? StrideSign::Forward : StrideSign::Backward;
}

DramLayout layout_of(std::uint64_t stride, std::uint64_t block) {
  if (stride == 0) return DramLayout::Repeats;
  if (stride < block) return DramLayout::Overlaps;
  return stride == block ? DramLayout::Touches : DramLayout::Apart;
}

template <class Levels>
unsigned loops_of(const Levels& levels) {
  unsigned mask = 0;
  for (unsigned l = 0; l < kLevels; ++l) mask |= levels[l].count > 1 ? 1u << l : 0u;
  return mask;
}

template <class Levels>
std::uint64_t iterations_of(const Levels& levels) {
  std::uint64_t n = 1;
  for (const auto& level : levels) n *= level.count;
  return n;
}

}  // namespace

ProgramCoverage::ProgramCoverage(const Geometry& geometry)
    : geometry_(geometry), bounds_(field_bounds(geometry)) {
  std::vector<std::string> labels;
  for (const FieldBound& bound : bounds_) labels.push_back(bound.label());
  tables_ = make_tables(labels);
  exclude_unreachable();
}

void ProgramCoverage::exclude_unreachable() {
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    const auto kind = static_cast<CoverKind>(t);
    if (kind == CoverKind::Rule || kind == CoverKind::Error) continue;
    for (std::size_t p = 0; p < tables_[t].size(); ++p)
      if (!example(kind, p)) tables_[t].exclude(p);
  }
  const auto breakers = rule_breakers(geometry_);
  for (std::size_t r = 0; r < breakers.size(); ++r)
    if (!breakers[r]) table(CoverKind::Rule).exclude(r);
  CoverTable& errors = table(CoverKind::Error);
  for (std::size_t p = 0; p < errors.size(); ++p)
    if (!can_raise(static_cast<ErrorCode>(kErrorCodes[errors.index(p, 0)].code),
                   static_cast<Unit>(kUnits[errors.index(p, 1)].code)))
      errors.exclude(p);
}

void ProgramCoverage::note(const Program& program) {
  UopBuffer uops(program.geometry, expand(program.kernels));
  for (const Insn& insn : program.insns) {
    const auto* gemm = std::get_if<GemmInsn>(&insn);
    note(insn, gemm != nullptr ? uops.used(*gemm) : std::span<const Uop>{});
    const auto* move = std::get_if<MemoryInsn>(&insn);
    if (move != nullptr && move->opcode == Opcode::Load && move->buffer == Buffer::Uop) uops.load(*move);
  }
}

void ProgramCoverage::note(const Insn& insn, std::span<const Uop> uops) {
  note_common(insn);
  note_entries(insn, uops);
  if (const auto* move = std::get_if<MemoryInsn>(&insn)) note_move(*move);
  if (const auto* gemm = std::get_if<GemmInsn>(&insn)) note_gemm(*gemm, uops);
  if (const auto* vector = std::get_if<VectorInsn>(&insn)) note_vector(*vector);
}

void ProgramCoverage::note_error(ErrorCode code, Unit unit, std::uint64_t address) {
  table(CoverKind::Error).hit({static_cast<std::size_t>(code), static_cast<std::size_t>(unit)});
  if (code == ErrorCode::IllegalInsn && address >= 1 && address <= rules().size())
    table(CoverKind::Rule).hit({static_cast<std::size_t>(address - 1)});
}

void ProgramCoverage::note_common(const Insn& insn) {
  const InsnWords words = encode(insn);
  const Opcode opcode = opcode_of(insn);
  for (std::size_t b = 0; b < bounds_.size(); ++b)
    if (bounds_[b].opcode == opcode && field_value(words, *bounds_[b].field) == bounds_[b].value)
      table(CoverKind::Field).hit(b);
  if (const std::size_t at = position(kTokenOpcodes, opcode); at < kTokenOpcodes.size())
    table(CoverKind::Tokens).hit({at, pops_of(insn), pushes_of(insn)});
}

void ProgramCoverage::note_entries(const Insn& insn, std::span<const Uop> uops) {
  static const std::vector<EntryOperand> kOperands = entry_operands();
  const Opcode opcode = opcode_of(insn);
  const std::vector<SramAccess> accesses = sram_accesses(insn, uops, geometry_);
  for (std::size_t a = 0; a < accesses.size(); ++a) {
    if (opcode == Opcode::Gemm && uops.empty()) break;
    const std::string_view role = opcode != Opcode::Vector ? "" : a == 0 ? "dst" : a == 1 ? "a" : "b";
    for (std::size_t o = 0; o < kOperands.size(); ++o) {
      const EntryOperand& operand = kOperands[o];
      if (operand.opcode != opcode || operand.role != role || operand.buffer != accesses[a].buffer) continue;
      if (accesses[a].box.lowest() == 0) table(CoverKind::Entry).hit({o, 0});
      if (accesses[a].box.highest() + 1 == geometry_.depth(operand.buffer))
        table(CoverKind::Entry).hit({o, 1});
    }
  }
  static const std::vector<EntryStrideField> kStrides = entry_stride_fields();
  const InsnWords words = encode(insn);
  for (std::size_t s = 0; s < kStrides.size(); ++s) {
    const EntryStrideField& f = kStrides[s];
    if (f.opcode != opcode) continue;
    bool used = false;
    if (const auto* move = std::get_if<MemoryInsn>(&insn))
      used = f.field->name == "y_sram_stride" ? move->y_total() > 1 : move->z_count > 1;
    else if (const auto* gemm = std::get_if<GemmInsn>(&insn))
      used = gemm->levels[f.level].count > 1;
    else if (const auto* vector = std::get_if<VectorInsn>(&insn))
      used = vector->levels[f.level].count > 1 && (f.operand < 2 || vector->b_kind == VectorB::Par);
    if (used)
      table(CoverKind::EntryStride)
          .hit({s,
                static_cast<std::size_t>(sign_of(static_cast<std::uint16_t>(field_value(words, *f.field))))});
  }
}

void ProgramCoverage::note_move(const MemoryInsn& i) {
  const std::size_t opcode = position(kMoveOpcodes, i.opcode);
  const auto buffer = static_cast<std::size_t>(i.buffer);
  table(CoverKind::Move).hit({opcode, buffer, static_cast<std::size_t>(i.window), i.widen ? 1u : 0u});
  const unsigned sides = (i.x_pad_before != 0 ? 1u : 0u) | (i.x_pad_after != 0 ? 2u : 0u) |
                         (i.y_pad_before != 0 ? 4u : 0u) | (i.y_pad_after != 0 ? 8u : 0u);
  const PaddedData data = i.x_count == 0   ? (i.y_count == 0 ? PaddedData::None : PaddedData::NoX)
                          : i.y_count == 0 ? PaddedData::NoY
                                           : PaddedData::Both;
  table(CoverKind::Padding).hit({opcode, buffer, sides, static_cast<std::size_t>(data)});
  if (data != PaddedData::Both) return;
  table(CoverKind::Alignment).hit({opcode, buffer, static_cast<std::size_t>(i.dram_offset % 8)});
  const auto dram = [&](std::size_t dimension, unsigned count, std::uint64_t stride, std::uint64_t block) {
    if (count > 1)
      table(CoverKind::DramStride)
          .hit({opcode, dimension, static_cast<std::size_t>(layout_of(stride, block))});
    return (count - 1) * stride + block;
  };
  const std::uint64_t row =
      dram(0, i.x_count, i.x_dram_stride, std::uint64_t{i.run} * piece_bytes(i, geometry_));
  const std::uint64_t plane = dram(1, i.y_count, i.y_dram_stride, row);
  dram(2, i.z_count, i.z_dram_stride, plane);
}

void ProgramCoverage::note_gemm(const GemmInsn& i, std::span<const Uop> uops) {
  table(CoverKind::Levels).hit({0, loops_of(i.levels)});
  table(CoverKind::Reduce).hit({0, i.init ? 1u : 0u, i.reduce_mask});
  CoverTable& used = table(CoverKind::Uop);
  for (const Uop& q : uops) {
    const std::array<std::pair<unsigned, unsigned>, 3> operands{
        {{i.acc_base, q.acc}, {i.inp_base, q.inp}, {i.wgt_base, q.wgt}}};
    for (std::size_t o = 0; o < operands.size(); ++o) {
      const auto [base, offset] = operands[o];
      const StrideSign sign = offset == 0                 ? StrideSign::Still
                              : base + offset < kMaxDepth ? StrideSign::Forward
                                                          : StrideSign::Backward;
      used.hit({3 * o + static_cast<std::size_t>(sign)});
    }
  }
  if (!uops.empty()) used.hit({i.uop_count == 1 ? kUopOne : kUopSeveral});
  if (uops.size() != i.uop_count || iterations_of(i.levels) * i.uop_count > kReuseSteps) return;
  std::vector<std::int64_t> written(kMaxDepth, -1);
  std::int64_t step = 0;
  for_each_iteration(i.levels, [&](const Counters& counters) {
    for (unsigned u = 0; u < i.uop_count; ++u, ++step) {
      const GemmStep s = gemm_step_at(i, counters, u, uops[u]);
      const std::int64_t distance = step - written[s.acc];
      if (!s.first && written[s.acc] >= 0 && distance <= kGemmReuse)
        table(CoverKind::Reuse).hit({static_cast<std::size_t>(distance - 1)});
      written[s.acc] = step;
    }
    return true;
  });
}

void ProgramCoverage::note_vector(const VectorInsn& i) {
  table(CoverKind::Levels).hit({1, loops_of(i.levels)});
  table(CoverKind::Reduce).hit({1, i.init ? 1u : 0u, i.reduce_mask});
  table(CoverKind::Vector)
      .hit({static_cast<std::size_t>(i.op), static_cast<std::size_t>(i.dst_buffer),
            static_cast<std::size_t>(i.a_buffer), static_cast<std::size_t>(i.b_kind)});
  if (iterations_of(i.levels) > kReuseSteps) return;
  std::vector<std::int64_t> written(kMaxDepth, -1);
  std::int64_t step = 0;
  const auto note = [&](std::uint16_t entry, std::size_t first_place, unsigned most) {
    const std::int64_t distance = step - written[entry];
    if (written[entry] >= 0 && distance <= most)
      table(CoverKind::Reuse).hit({first_place + static_cast<std::size_t>(distance - 1)});
  };
  for_each_iteration(i.levels, [&](const Counters& counters) {
    const VectorStep s = vector_step_at(i, counters);
    if (!s.first && reads_accumulator(i.op, i.dst_buffer)) note(s.dst, kGemmReuse, kVectorCReuse);
    if (i.a_buffer == i.dst_buffer) note(s.a, kGemmReuse + kVectorCReuse, kVectorAReuse);
    written[s.dst] = step++;
    return true;
  });
}

}  // namespace vdla::isa
