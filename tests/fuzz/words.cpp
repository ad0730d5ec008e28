// SPDX-License-Identifier: Apache-2.0
// Instruction words as a device would fetch them: decode, print, assemble, and the static verifier on the
// whole stream.
#include <cstring>

#include "isa/asm/asm.h"
#include "isa/codec/codec.h"
#include "isa/spec/geometry.h"
#include "isa/variants/variants.h"
#include "isa/verify/verify.h"
#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vdla;
  static const isa::Geometry geometry = isa::load_variant("tiny").geometry;
  std::vector<isa::InsnWords> words(size / sizeof(isa::InsnWords));
  if (words.empty()) return 0;
  std::memcpy(words.data(), data, words.size() * sizeof(isa::InsnWords));
  VDLA_CHECK(isa::assemble(isa::disassemble(words)).insns == words);
  fuzzing::accepted([&] {
    isa::Program program;
    program.geometry = geometry;
    for (const isa::InsnWords& insn : words) program.insns.push_back(isa::decode(insn, geometry));
    isa::verify(program);
  });
  return 0;
}
