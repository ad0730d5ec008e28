// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iterator>

#include "isa/gen/emit.h"
#include "isa/gen/names.h"
#include "isa/spec/errors.h"
#include "isa/spec/legality.h"
#include "isa/spec/registers.h"
#include "isa/spec/version.h"

namespace vdla::isa::gen {
namespace {

using Out = std::back_insert_iterator<std::string>;

void emit_c_registers(Out out) {
  fmt::format_to(out, "\n/* Registers: byte offsets, 32 bits each; 64-bit values are low word first. */\n");
  for (const RegisterValue& v : register_values()) {
    if (v.per_window) {
      fmt::format_to(out,
                     "#define VDLA_REG_{0}_LO(w) (0x{1:03x}u + {2}u * (w)) /* {3} */\n#define "
                     "VDLA_REG_{0}_HI(w) (0x{4:03x}u + {2}u * (w))\n",
                     upper(v.name), v.offset, kWindowStride, v.doc, v.offset + 4);
      continue;
    }
    const char* low = v.bits == 64 ? "_LO" : "";
    fmt::format_to(out, "#define VDLA_REG_{}{} 0x{:03x}u /* {} */\n", upper(v.name), low, v.offset, v.doc);
    if (v.bits == 64) fmt::format_to(out, "#define VDLA_REG_{}_HI 0x{:03x}u\n", upper(v.name), v.offset + 4);
  }
  fmt::format_to(out,
                 "#define VDLA_REG_UNIT_STRIDE {}u /* from the registers of a unit to those of the next */\n",
                 kUnitStride);
  fmt::format_to(out,
                 "#define VDLA_GEOMETRY_FIELDS {}u\n#define VDLA_REG_GEOMETRY(field) (0x{:03x}u + 4u * "
                 "(field)) /* of them */\n",
                 kGeometryFields.size(), kGeometryRegisters);
  fmt::format_to(out, "#define VDLA_REGISTER_SPACE 0x{:x}u\n", kRegisterSpace);
}

void emit_bits(Out out) {
  fmt::format_to(out, "\n/* Bits. */\n");
  for (const RegisterBits& bits : kRegisterBits) {
    const std::string name = upper(snake(bits.group_name) + "_" + snake(bits.name));
    fmt::format_to(out, "#define VDLA_{} 0x{:x}u\n", name, bits.mask());
    if (bits.width > 1) fmt::format_to(out, "#define VDLA_{}_LSB {}u\n", name, bits.lsb);
  }
  fmt::format_to(
      out, "/* Smaller values of STALL_LIMIT, but 0, act as this one. */\n#define VDLA_MIN_STALL_LIMIT {}u\n",
      kMinStallLimit);
}

void emit_c_codes(Out out) {
  for (const CodeTable& table : code_tables()) {
    fmt::format_to(out, "\n/* {} */\n", table.name);
    for (const NamedCode& row : table.rows)
      fmt::format_to(out, "#define VDLA_{}_{} {}u\n", upper(table.name), upper(row.text), row.code);
  }
}

/// static inline const char *vdla_<name>_text(unsigned code)
template <class Rows>
void emit_texts(Out out, std::string_view name, const Rows& rows) {
  fmt::format_to(out, "\nstatic inline const char *vdla_{}_text(unsigned code) {{\n  switch (code) {{\n",
                 name);
  for (const auto& [code, text] : rows) fmt::format_to(out, "    case {}: return \"{}\";\n", code, text);
  fmt::format_to(out, "    default: return \"unknown\";\n  }}\n}}\n");
}

}  // namespace

std::string c_header() {
  std::string text =
      "/* SPDX-License-Identifier: Apache-2.0\n * The machine as a driver sees it: registers, bits, codes. "
      "Plain C, no library needed.\n"
      " * Generated from isa/spec by vdla-isagen; do not edit. */\n#ifndef VDLA_ISA_H\n#define "
      "VDLA_ISA_H\n\n";
  Out out(text);
  fmt::format_to(out, "#define VDLA_ISA_VERSION {}u\n#define VDLA_MAGIC 0x{:08x}u\n", kIsaVersion, kMagic);
  fmt::format_to(out,
                 "#define VDLA_INSN_BYTES {}u\n#define VDLA_UOP_BYTES {}u\n#define VDLA_WINDOWS {}u\n#define "
                 "VDLA_QUEUE_UNITS {}u\n",
                 kInsnBytes, kUopBytes, kWindowCount, kQueueUnits);
  emit_c_registers(out);
  emit_bits(out);
  emit_c_codes(out);
  const auto texts = [](std::span<const NamedCode> rows) {
    std::vector<std::pair<unsigned, std::string_view>> list;
    for (const NamedCode& row : rows) list.emplace_back(row.code, row.text);
    return list;
  };
  emit_texts(out, "unit", texts(kUnits));
  emit_texts(out, "window", texts(kWindows));
  emit_texts(out, "buffer", texts(kBuffers));
  std::vector<std::pair<unsigned, std::string_view>> errors, rule_rows, fields;
  for (const GeometryField& f : kGeometryFields)
    fields.emplace_back(static_cast<unsigned>(fields.size()), f.name);
  emit_texts(out, "geometry", fields);
  for (const NamedCode& row : kErrorCodes) errors.emplace_back(row.code, row.doc);
  for (const Rule& rule : rules()) rule_rows.emplace_back(number_of(rule), rule.doc);
  emit_texts(out, "error", errors);
  fmt::format_to(out, "\n/* ERROR_ADDR after error illegal_insn. */");
  emit_texts(out, "rule", rule_rows);
  fmt::format_to(out, "\n#endif\n");
  return text;
}

}  // namespace vdla::isa::gen
