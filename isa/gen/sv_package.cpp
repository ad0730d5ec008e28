// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iterator>

#include "isa/gen/emit.h"
#include "isa/gen/names.h"
#include "isa/spec/geometry.h"
#include "isa/spec/queues.h"
#include "isa/spec/registers.h"
#include "isa/spec/version.h"

namespace vdla::isa::gen {
namespace {

using Out = std::back_insert_iterator<std::string>;

void emit_constants(Out out) {
  fmt::format_to(out, "  localparam logic [31:0] IsaVersion = 32'd{};\n", kIsaVersion);
  fmt::format_to(out, "  localparam logic [31:0] Magic      = 32'h{:08x};\n\n", kMagic);
  const std::pair<const char*, unsigned> constants[] = {
      {"InsnBits", kInsnBytes * 8}, {"InsnBytes", kInsnBytes},   {"UopBits", kUopBytes * 8},
      {"UopBytes", kUopBytes},      {"IndexBits", kIndexBits},   {"Levels", kLevels},
      {"LevelBits", kWordBits},     {"QueueUnits", kQueueUnits}, {"ReduceUopBit", kReduceUopBit},
      {"Windows", kWindowCount},    {"AccBanks", kAccBanks},     {"InflightDepth", kInflightDepth},
  };
  for (auto [name, value] : constants)
    fmt::format_to(out, "  localparam int unsigned {} = {};\n", name, value);
}

void emit_sv_codes(Out out) {
  for (const CodeTable& table : code_tables()) {
    fmt::format_to(out, "\n  // {}\n  localparam int unsigned {}Bits = {};\n", table.name, camel(table.name),
                   table.bits);
    for (const NamedCode& row : table.rows)
      fmt::format_to(out, "  localparam logic [{}:0] {}{} = {}'d{};  // {}\n", table.bits - 1,
                     camel(table.name), camel(row.text), table.bits, row.code, row.doc);
  }
}

void emit_fields(Out out, const Layout& layout) {
  fmt::format_to(out, "\n  // {}: lowest bit and width of each field\n", layout.doc);
  for (const Field& f : layout.fields) {
    if (f.width == 0) continue;
    const std::string name = camel(layout.name) + camel(f.name);
    fmt::format_to(out, "  localparam int unsigned {}Lsb = {};\n  localparam int unsigned {}Width = {};\n",
                   name, f.offset, name, f.width);
  }
}

void emit_struct(Out out, const Layout& layout) {
  fmt::format_to(out, "\n  // {}\n  typedef struct packed {{\n", layout.doc);
  unsigned top = layout.bits;
  const auto reserved = [&](unsigned down_to) {
    if (top > down_to) fmt::format_to(out, "    logic [{}:0] reserved{};\n", top - down_to - 1, down_to);
    top = down_to;
  };
  for (auto f = layout.fields.rbegin(); f != layout.fields.rend(); ++f) {
    if (f->width == 0) continue;
    reserved(f->offset + f->width);
    // A keyword of SystemVerilog gets an underscore.
    const char* suffix = f->name == "sequence" ? "_" : "";
    fmt::format_to(out, "    logic {}[{}:0] {}{};\n", f->is_signed() ? "signed " : "", f->width - 1, f->name,
                   suffix);
    top = f->offset;
  }
  reserved(0);
  fmt::format_to(out, "  }} {}_t;\n", layout.name);
}

void emit_sv_registers(Out out) {
  fmt::format_to(out, "\n  // Register offsets; 64-bit values are low word first.\n");
  fmt::format_to(
      out, "  localparam int unsigned RegisterSpace = {};\n  localparam int unsigned RegisterBits = {};\n",
      kRegisterSpace, 9);
  static_assert(kRegisterSpace == 1u << 9);
  fmt::format_to(out, "  localparam int unsigned WindowStride = {};\n", kWindowStride);
  for (const RegisterRow& row : kRegisters)
    fmt::format_to(out, "  localparam logic [8:0] Reg{} = 9'h{:03x};  // {}\n", camel(row.name), row.offset,
                   row.doc);
  for (const RegisterBits& bits : kRegisterBits)
    fmt::format_to(
        out, "  localparam logic [31:0] {0}{1} = 32'h{2:x};\n  localparam int unsigned {0}{1}Lsb = {3};\n",
        bits.group_name, bits.name, bits.mask(), bits.lsb);
  fmt::format_to(out, "  localparam logic [31:0] MinStallLimit = 32'd{};\n", kMinStallLimit);
}

}  // namespace

std::string sv_package() {
  std::string text =
      banner("//", "The instruction set and register map as constants. Use names as vdla_isa_pkg::x.");
  Out out(text);
  fmt::format_to(out, "\n/* verilator lint_off UNUSED */\npackage vdla_isa_pkg;\n");
  emit_constants(out);
  emit_sv_codes(out);
  for (const Layout& layout : layouts()) emit_fields(out, layout);
  for (const Layout& layout : layouts()) emit_struct(out, layout);
  emit_sv_registers(out);
  fmt::format_to(out, "endpackage\n/* verilator lint_on UNUSED */\n");
  return text;
}

}  // namespace vdla::isa::gen
