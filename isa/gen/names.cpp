// SPDX-License-Identifier: Apache-2.0
#include "isa/gen/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "isa/gen/meaning_text.h"
#include "isa/spec/errors.h"
#include "isa/spec/geometry.h"
#include "isa/spec/legality.h"
#include "isa/spec/registers.h"

namespace vdla::isa::gen {

std::string camel(std::string_view snake) {
  std::string out;
  bool start = true;
  for (char c : snake) {
    if (c == '_') {
      start = true;
      continue;
    }
    out += static_cast<char>(start ? std::toupper(static_cast<unsigned char>(c))
                                   : std::tolower(static_cast<unsigned char>(c)));
    start = false;
  }
  return out;
}

std::string snake(std::string_view camel) {
  std::string out;
  for (char c : camel) {
    if (std::isupper(static_cast<unsigned char>(c)) && !out.empty()) out += '_';
    out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

std::string lower(std::string_view text) {
  std::string out;
  for (char c : text) out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::string upper(std::string_view text) {
  std::string out;
  for (char c : text) out += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

std::vector<std::string_view> geometry_numbers() {
  std::vector<std::string_view> read;
  for (const Rule& rule : rules())
    for (const Comparison& one : rule.any_of())
      for (const Operand& side : {one.left, one.right})
        if (side.kind == Operand::Kind::Geometry) read.push_back(side.names[0]);
  std::vector<std::string_view> numbers;
  for (const GeometryField& field : kGeometryFields)
    if (std::ranges::find(read, field.name) != read.end()) numbers.push_back(field.name);
  return numbers;
}

std::string banner(std::string_view comment, std::string_view what) {
  return fmt::format(
      "{0} SPDX-License-Identifier: Apache-2.0\n{0} {1}\n{0} Generated from isa/spec by vdla-isagen; do not "
      "edit.\n",
      comment, what);
}

std::span<const Layout> layouts() {
  static constexpr std::array<Layout, 5> kLayouts = {{
      {"memory", kMemoryFields, kInsnWords * kWordBits, "load and store"},
      {"gemm", kGemmFields, kInsnWords * kWordBits, "gemm"},
      {"vector", kVectorFields, kInsnWords * kWordBits, "vector"},
      {"finish", kFinishFields, kInsnWords * kWordBits, "finish"},
      {"uop", kUopFields, kUopBytes * 8, "one micro-op of gemm"},
  }};
  return kLayouts;
}

std::vector<RegisterValue> register_values() {
  std::vector<RegisterValue> values;
  for (const RegisterRow& row : kRegisters) {
    std::string name = lower(row.name);
    if (name.ends_with("_hi")) {
      values.back().bits = 64;
      continue;
    }
    if (name.ends_with("_lo")) name.resize(name.size() - 3);
    const bool per_window = name.starts_with("window0_");
    if (per_window) name = "window_" + name.substr(8);
    values.push_back({name, row.offset, 32, row.access, std::string(row.doc), per_window});
  }
  return values;
}

std::string registers_with(BitGroup group) {
  std::string names;
  for (const RegisterGroup& g : kRegisterGroups) {
    if (g.group != group) continue;
    const auto row = std::ranges::find(kRegisters, static_cast<std::uint32_t>(g.reg), &RegisterRow::offset);
    names += (names.empty() ? "" : ", ") + std::string(row->name);
  }
  return names;
}

std::span<const CodeTable> code_tables() {
  static const std::vector<std::string> kFormulas = operation_formulas();
  static const auto kOperationCodes = [] {
    auto codes = kVectorOps;
    for (std::size_t i = 0; i < codes.size(); ++i) codes[i].doc = kFormulas[i];
    return codes;
  }();
  static const std::array<CodeTable, 7> kTables = {{
      {"opcode", kOpcodes, 4},
      {"unit", kUnits, 3},
      {"buffer", kBuffers, 4},
      {"window", kWindows, 4},
      {"vector_op", kOperationCodes, 4},
      {"vector_b", kVectorBs, 2},
      {"error", kErrorCodes, 4},
  }};
  return kTables;
}

}  // namespace vdla::isa::gen
