// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <iterator>

#include "isa/gen/emit.h"
#include "support/error.h"

namespace vdla::isa::gen {

std::vector<File> all(const std::filesystem::path& root) {
  const std::filesystem::path manual_path = "docs/isa/manual.md";
  std::ifstream stream(root / manual_path, std::ios::binary);
  VDLA_CHECK_USER(stream.good()) << "cannot read " << (root / manual_path).string()
                                 << ", needs the root of the source tree";
  const std::string current{std::istreambuf_iterator<char>(stream), {}};
  const std::filesystem::path generated = "isa/generated";
  return {
      {generated / "vdla_isa_pkg.sv", sv_package()},
      {generated / "vdla_insn_check.sv", sv_insn_check()},
      {generated / "vdla_regs.sv", sv_registers()},
      {generated / "legality.smt2", smt_legality()},
      {generated / "operations.h", cpp_operations()},
      {generated / "vdla_isa.h", c_header()},
      {generated / "geometry.fbs", flatbuffers_schema()},
      {generated / "isa.json", json()},
      {generated / "vectors.txt", vectors()},
      {manual_path, manual(current)},
  };
}

}  // namespace vdla::isa::gen
