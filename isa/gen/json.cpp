// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "isa/gen/emit.h"
#include "isa/gen/names.h"
#include "isa/spec/legality.h"
#include "isa/spec/registers.h"
#include "isa/spec/version.h"

namespace vdla::isa::gen {
namespace {

using Json = nlohmann::ordered_json;

Json fields_json(const Layout& layout) {
  Json list = Json::array();
  for (const Field& f : layout.fields)
    if (f.width != 0)
      list.push_back({{"name", f.name},
                      {"lsb", f.offset},
                      {"width", f.width},
                      {"signed", f.is_signed()},
                      {"doc", f.doc}});
  return list;
}

const char* text_of_access(Access access) {
  switch (access) {
    case Access::Fixed:
      return "fixed";
    case Access::ReadOnly:
      return "ro";
    case Access::ReadWrite:
      return "rw";
    case Access::ReadWriteIdle:
      return "rw_idle";
    case Access::WriteOneToClear:
      return "w1c";
  }
  return "";
}

}  // namespace

std::string json() {
  Json root;
  root["isa_version"] = kIsaVersion;
  root["insn_bytes"] = kInsnBytes;
  root["uop_bytes"] = kUopBytes;
  root["levels"] = kLevels;
  for (const CodeTable& table : code_tables())
    for (const NamedCode& row : table.rows)
      root["codes"][std::string(table.name)].push_back(
          {{"name", row.text}, {"code", row.code}, {"doc", row.doc}});
  for (const Layout& layout : layouts())
    root["layouts"][std::string(layout.name)] = {
        {"used_by", layout.doc}, {"bits", layout.bits}, {"fields", fields_json(layout)}};
  for (const Rule& rule : rules())
    root["rules"].push_back({{"number", number_of(rule)}, {"name", rule.name}, {"doc", rule.doc}});
  root["register_space"] = kRegisterSpace;
  root["window_stride"] = kWindowStride;
  for (const GeometryField& f : kGeometryFields)
    root["geometry"].push_back({{"name", f.name}, {"least", f.least}, {"most", f.most}, {"doc", f.doc}});
  for (const RegisterRow& row : kRegisters)
    root["registers"].push_back({{"name", row.name},
                                 {"offset", row.offset},
                                 {"access", text_of_access(row.access)},
                                 {"doc", row.doc}});
  for (const RegisterBits& b : kRegisterBits)
    root["register_bits"].push_back({{"group", snake(b.group_name)},
                                     {"registers", registers_with(b.group)},
                                     {"name", snake(b.name)},
                                     {"lsb", b.lsb},
                                     {"width", b.width},
                                     {"doc", b.doc}});
  return root.dump(1) + "\n";
}

}  // namespace vdla::isa::gen
