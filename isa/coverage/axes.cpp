// SPDX-License-Identifier: Apache-2.0
#include "isa/coverage/axes.h"

#include "isa/coverage/program.h"
#include "isa/spec/errors.h"
#include "isa/spec/legality.h"
#include "isa/spec/operations.h"
#include "support/error.h"

namespace vdla::isa {
namespace {

template <std::size_t N>
CoverAxis codes(std::string name, const std::array<NamedCode, N>& rows) {
  CoverAxis axis{std::move(name), {}};
  for (const NamedCode& row : rows) axis.labels.emplace_back(row.text);
  return axis;
}

template <std::size_t N>
CoverAxis opcodes(const std::array<Opcode, N>& list) {
  CoverAxis axis{"opcode", {}};
  for (const Opcode o : list) axis.labels.emplace_back(to_string(o));
  return axis;
}

/// One label for each set of `names`.
CoverAxis subsets(std::string axis_name, const std::string& prefix, const std::vector<std::string>& names) {
  CoverAxis axis{std::move(axis_name), {}};
  for (std::size_t mask = 0; mask < std::size_t{1} << names.size(); ++mask) {
    std::string label;
    for (std::size_t i = 0; i < names.size(); ++i)
      if ((mask >> i & 1u) != 0) label += (label.empty() ? "" : "+") + names[i];
    axis.labels.push_back(prefix + (label.empty() ? "nothing" : label));
  }
  return axis;
}

CoverAxis channels(const std::string& name) {
  std::vector<std::string> units;
  for (unsigned u = 0; u < kQueueUnits; ++u) units.emplace_back(kUnits[u].text);
  return subsets(name, name + " ", units);
}

std::vector<std::string> level_names(unsigned count) {
  std::vector<std::string> names;
  for (unsigned l = 0; l < count; ++l) names.push_back(l == kLevels ? "u" : "i" + std::to_string(l));
  return names;
}

CoverAxis entries() {
  CoverAxis axis{"operand", {}};
  for (const EntryOperand& o : entry_operands())
    axis.labels.push_back(std::string(to_string(o.opcode)) +
                          (o.role.empty() ? " " : " " + std::string(o.role) + " ") +
                          std::string(to_string(o.buffer)));
  return axis;
}

CoverAxis entry_strides() {
  CoverAxis axis{"field", {}};
  for (const EntryStrideField& f : entry_stride_fields())
    axis.labels.push_back(std::string(to_string(f.opcode)) + "." + std::string(f.field->name));
  return axis;
}

CoverAxis uops() {
  CoverAxis axis{"use", {}};
  for (const std::string_view operand : kUopOperands)
    for (const char* sign : {" zero", " forward", " backward"})
      axis.labels.push_back(std::string(operand) + sign);
  axis.labels.insert(axis.labels.end(), {"one", "several"});
  return axis;
}

CoverAxis reuse() {
  CoverAxis axis{"distance", {}};
  const auto add = [&](const char* what, unsigned count) {
    for (unsigned d = 1; d <= count; ++d) axis.labels.push_back(what + std::to_string(d));
  };
  add("gemm acc ", kGemmReuse);
  add("vector c ", kVectorCReuse);
  add("vector a ", kVectorAReuse);
  return axis;
}

/// Masks of gemm and vector are on one axis, though vector's lack the last bit.
CoverAxis reduce_masks() { return subsets("mask", "over ", level_names(kLevels + 1)); }

CoverAxis rule_names() {
  CoverAxis axis{"rule", {}};
  for (const Rule& rule : rules()) axis.labels.emplace_back(rule.name);
  return axis;
}

std::vector<CoverAxis> axes_of(CoverKind kind, const std::vector<std::string>& field_bounds) {
  switch (kind) {
    case CoverKind::Field:
      return {{"field", field_bounds}};
    case CoverKind::Tokens:
      return {opcodes(kTokenOpcodes), channels("pop"), channels("push")};
    case CoverKind::Move:
      return {opcodes(kMoveOpcodes),
              codes("buffer", kBuffers),
              codes("window", kWindows),
              {"widen", {"plain", "widened"}}};
    case CoverKind::Padding:
      return {opcodes(kMoveOpcodes),
              codes("buffer", kBuffers),
              subsets("sides", "pads ", {"left", "right", "above", "below"}),
              {"data", {"data", "no columns", "no rows", "no data"}}};
    case CoverKind::Alignment:
      return {opcodes(kMoveOpcodes),
              codes("buffer", kBuffers),
              {"byte", {"0", "1", "2", "3", "4", "5", "6", "7"}}};
    case CoverKind::DramStride:
      return {opcodes(kMoveOpcodes),
              {"dimension", {"x", "y", "z"}},
              {"layout", {"repeats", "overlaps", "touches", "apart"}}};
    case CoverKind::EntryStride:
      return {entry_strides(), {"sign", {"still", "forward", "backward"}}};
    case CoverKind::Entry:
      return {entries(), {"end", {"first", "last"}}};
    case CoverKind::Levels:
      return {opcodes(kNestOpcodes), subsets("levels", "loops ", level_names(kLevels))};
    case CoverKind::Reduce:
      return {opcodes(kNestOpcodes), {"init", {"accumulates", "initialises"}}, reduce_masks()};
    case CoverKind::Vector:
      return {codes("op", kVectorOps), codes("dst", kBuffers), codes("a", kBuffers), codes("b", kVectorBs)};
    case CoverKind::Uop:
      return {uops()};
    case CoverKind::Reuse:
      return {reuse()};
    case CoverKind::Rule:
      return {rule_names()};
    case CoverKind::Error:
      return {codes("code", kErrorCodes), codes("unit", kUnits)};
  }
  return {};
}

const Field& field_named(Opcode opcode, std::string_view name) {
  for (const Field& f : fields_of(opcode))
    if (f.name == name) return f;
  throw InternalError("no field " + std::string(name));
}

}  // namespace

std::vector<EntryOperand> entry_operands() {
  std::vector<EntryOperand> list;
  for (const Opcode o : kMoveOpcodes)
    for (const NamedCode& b : kBuffers) list.push_back({o, "", static_cast<Buffer>(b.code)});
  for (const Buffer b : {Buffer::Acc, Buffer::Inp, Buffer::Wgt, Buffer::Uop})
    list.push_back({Opcode::Gemm, "", b});
  for (const NamedCode& b : kBuffers) list.push_back({Opcode::Vector, "dst", static_cast<Buffer>(b.code)});
  for (const NamedCode& b : kBuffers) list.push_back({Opcode::Vector, "a", static_cast<Buffer>(b.code)});
  list.push_back({Opcode::Vector, "b", Buffer::Par});
  return list;
}

std::vector<EntryStrideField> entry_stride_fields() {
  std::vector<EntryStrideField> list;
  for (const Opcode o : kMoveOpcodes)
    for (const char* name : {"y_sram_stride", "z_sram_stride"}) list.push_back({o, &field_named(o, name)});
  const auto add_nest = [&](Opcode o, std::array<const char*, 3> names) {
    for (unsigned level = 0; level < kLevels; ++level)
      for (unsigned operand = 0; operand < names.size(); ++operand)
        list.push_back({o, &field_named(o, names[operand] + std::to_string(level)), level, operand});
  };
  add_nest(Opcode::Gemm, {"acc_stride", "inp_stride", "wgt_stride"});
  add_nest(Opcode::Vector, {"dst_stride", "a_stride", "b_stride"});
  return list;
}

std::vector<CoverTable> make_tables(const std::vector<std::string>& field_bounds) {
  std::vector<CoverTable> tables;
#define VDLA_COVER_TABLE(kind, text, doc) \
  tables.emplace_back(text, doc, axes_of(CoverKind::kind, field_bounds));
  VDLA_COVER_TABLES(VDLA_COVER_TABLE)
#undef VDLA_COVER_TABLE
  return tables;
}

}  // namespace vdla::isa
