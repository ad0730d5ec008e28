// SPDX-License-Identifier: Apache-2.0
// Names and tables that several emitters need.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/spec/fields.h"
#include "isa/spec/insn.h"
#include "isa/spec/operations.h"
#include "isa/spec/registers.h"

namespace vdla::isa::gen {

/// "sram_base" or "WINDOW0_BASE" -> "SramBase", "Window0Base".
std::string camel(std::string_view snake);
/// "SoftReset" -> "soft_reset"
std::string snake(std::string_view camel);
std::string lower(std::string_view text);
std::string upper(std::string_view text);

/// The numbers of a geometry that the rules of legality read.
std::vector<std::string_view> geometry_numbers();

/// The banner of a generated file behind a comment leader.
std::string banner(std::string_view comment, std::string_view what);

/// One binary layout and the opcodes that use it.
struct Layout {
  std::string_view name;
  std::span<const Field> fields;
  unsigned bits;
  std::string_view doc;
};
std::span<const Layout> layouts();

/// A register, or a LO/HI pair as one value of 64 bits; the window group once.
struct RegisterValue {
  std::string name;  ///< lower case, without _lo
  std::uint32_t offset;
  unsigned bits;
  Access access;
  std::string doc;
  bool per_window = false;
};
std::vector<RegisterValue> register_values();

/// The name of the registers with these bits as the manual gives it: "CONTROL", "LOAD_STATE, GEMM_STATE".
std::string registers_with(BitGroup group);

/// A table of codes with the name of its enumeration.
struct CodeTable {
  std::string_view name;
  std::span<const NamedCode> rows;
  unsigned bits;  ///< width of the field that holds a code
};
std::span<const CodeTable> code_tables();

}  // namespace vdla::isa::gen
