// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <iterator>

#include "isa/gen/emit.h"
#include "support/error.h"

namespace vdla::isa::gen {
namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  VDLA_CHECK_USER(stream.good()) << "cannot read " << file.string() << ", needs the root of the source tree";
  return {std::istreambuf_iterator<char>(stream), {}};
}

constexpr const char* kManual = "docs/isa/manual.md";
constexpr const char* kWithListsOfNumbers[] = {"hw/rtl/top/vdla_axi.v", "hw/rtl/top/vdla_core.sv",
                                               "hw/rtl/top/vdla_top.sv", "tests/isa/generated_top.sv"};

}  // namespace

std::vector<File> all(const std::filesystem::path& root) {
  const std::filesystem::path generated = "isa/generated";
  std::vector<File> files = {
      {generated / "vdla_isa_pkg.sv", sv_package()},
      {generated / "vdla_insn_check.sv", sv_insn_check()},
      {generated / "vdla_regs.sv", sv_registers()},
      {generated / "legality.smt2", smt_legality()},
      {generated / "operations.h", cpp_operations()},
      {generated / "vdla_isa.h", c_header()},
      {generated / "geometry.fbs", flatbuffers_schema()},
      {generated / "isa.json", json()},
      {generated / "vectors.txt", vectors()},
      {kManual, manual(text_of(root / kManual))},
  };
  for (const char* path : kWithListsOfNumbers) files.push_back({path, sv_geometry(text_of(root / path))});
  return files;
}

}  // namespace vdla::isa::gen
