// SPDX-License-Identifier: Apache-2.0
// The emitters: each turns the tables of isa/spec into the text of one committed file. Nothing here depends
// on a geometry.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace vdla::isa::gen {

/// Package vdla_isa_pkg: constants, codes, field positions, packed structs.
std::string sv_package();
/// Module vdla_insn_check: legality of an instruction word.
std::string sv_insn_check();
/// legality.smt2: the same rules as bit-vector formulas, written without the emitter above.
std::string smt_legality();
/// Module vdla_regs: storage and read multiplexer of the register map.
std::string sv_registers();
/// operations.h: what a lane computes, as C++.
std::string cpp_operations();
/// vdla_isa.h: register offsets, bits, codes and their texts for plain C.
std::string c_header();
/// geometry.fbs: the numbers of a geometry in modules.
std::string flatbuffers_schema();
/// isa.json: everything, for scripts.
std::string json();
/// vectors.txt: golden encodings.
std::string vectors();
/// The manual with each passage between its markers replaced. Throws UserError for an unknown passage or a
/// marker without an end.
std::string manual(std::string_view current);
/// Source in SystemVerilog or Verilog with the lists of a geometry's numbers between its markers replaced.
std::string sv_geometry(std::string_view current);

struct File {
  std::filesystem::path path;  ///< from the root of the source tree
  std::string text;
};

/// Every generated file; reads the hand-written parts of those with passages below `root`.
std::vector<File> all(const std::filesystem::path& root);

}  // namespace vdla::isa::gen
