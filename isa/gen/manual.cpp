// SPDX-License-Identifier: Apache-2.0
// Passages of the manual between <!-- isagen NAME --> and <!-- end isagen -->.
#include <fmt/format.h>

#include "isa/gen/emit.h"
#include "isa/gen/names.h"
#include "isa/gen/passages.h"
#include "isa/spec/legality.h"
#include "isa/spec/registers.h"
#include "isa/spec/version.h"

namespace vdla::isa::gen {
namespace {

/// Table cells: a bar would end the cell.
std::string cell(std::string_view text) {
  std::string out;
  for (char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

std::string codes_passage(const CodeTable& table) {
  std::string text = "| name | code | meaning |\n| --- | --: | --- |\n";
  for (const NamedCode& row : table.rows)
    text += fmt::format("| `{}` | {} | {} |\n", row.text, row.code, cell(row.doc));
  return text;
}

std::string bits_text(unsigned lsb, unsigned width) {
  return width == 1 ? fmt::format("{}", lsb) : fmt::format("{}:{}", lsb + width - 1, lsb);
}

std::string fields_passage(const Layout& layout) {
  std::string text = "| field | bits | width | meaning |\n| --- | --: | --: | --- |\n";
  for (const Field& f : layout.fields) {
    if (f.width == 0) continue;
    text += fmt::format("| `{}` | {} | {}{} | {} |\n", f.name, bits_text(f.offset, f.width), f.width,
                        f.is_signed() ? " signed" : "", cell(f.doc));
  }
  return text;
}

std::string rules_passage() {
  std::string text = "| number | rule | applies to | legal when |\n| --: | --- | --- | --- |\n";
  for (const Rule& rule : rules())
    text += fmt::format("| {} | `{}` | {} | {} |\n", number_of(rule), rule.name,
                        rule.count == 0 ? "every instruction" : to_string(rule.opcode), cell(rule.doc));
  return text;
}

std::string bits_passage() {
  std::string text = "| register | bits | name | meaning |\n| --- | --: | --- | --- |\n";
  for (const RegisterBits& b : kRegisterBits)
    text += fmt::format("| {} | {} | `{}` | {} |\n", registers_with(b.group), bits_text(b.lsb, b.width),
                        snake(b.name), cell(b.doc));
  return text;
}

std::string geometry_passage() {
  std::string text = "| number | default | least | most | meaning |\n| --- | --: | --: | --: | --- |\n";
  for (const GeometryField& f : kGeometryFields)
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", f.name, Geometry{}.*f.member, f.least, f.most,
                        cell(f.doc));
  return text;
}

std::string registers_passage() {
  std::string text = "| register | offset | access | meaning |\n| --- | --: | --- | --- |\n";
  for (const RegisterRow& row : kRegisters) {
    const char* access = row.access == Access::Fixed           ? "read, never changes"
                         : row.access == Access::ReadOnly      ? "read"
                         : row.access == Access::ReadWrite     ? "read, write"
                         : row.access == Access::ReadWriteIdle ? "read, write while idle"
                                                               : "read, write 1 to clear";
    text += fmt::format("| `{}` | 0x{:03x} | {} | {} |\n", row.name, row.offset, access, cell(row.doc));
  }
  return text;
}

std::string manual_passage(std::string_view name) {
  for (const CodeTable& table : code_tables())
    if (name == fmt::format("codes {}", table.name)) return codes_passage(table);
  for (const Layout& layout : layouts())
    if (name == fmt::format("fields {}", layout.name)) return fields_passage(layout);
  if (name == "rules") return rules_passage();
  if (name == "registers") return registers_passage();
  if (name == "register bits") return bits_passage();
  if (name == "geometry") return geometry_passage();
  if (name == "version") return fmt::format("This is version {} of the instruction set.\n", kIsaVersion);
  refuse_passage(name);
}

}  // namespace

std::string manual(std::string_view current) {
  return with_passages(current, {"<!-- isagen ", " -->\n", "<!-- end isagen -->\n"}, manual_passage);
}

}  // namespace vdla::isa::gen
