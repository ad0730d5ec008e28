// SPDX-License-Identifier: Apache-2.0
// Assembler text: what assembles disassembles to text that assembles to the same words.
#include "isa/asm/asm.h"
#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vdla;
  isa::Assembly program;
  if (fuzzing::accepted([&] { program = isa::assemble(fuzzing::as_text(data, size)); })) {
    const std::string text = isa::disassemble(program.insns);
    VDLA_CHECK(isa::assemble(text).insns == program.insns) << "does not assemble to the same words: " << text;
  }
  return 0;
}
