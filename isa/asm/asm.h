// SPDX-License-Identifier: Apache-2.0
// Assembler text <-> instructions, one per line, exact in both directions. Every field can be written; fields
// at their defaults are left out.
//
//   load inp[16*y] = act[64 + 32*x + 512*y] for x<14 y<4 run 2 pad x 1 1 pad y 1 0 pad value -3 push gemm
//   load par[0] = const[0] run 3 widen
//   gemm acc[8*i1 + i2] = inp[9*i1 + i2 + i3] * wgt[i3] for i1<4 i2<8 i3<2 reduce i3 pop load push vector
//   vector out[i4] = scale(acc[i4] + 5, par[0]) for i4<32 zero -4 clamp -128 100 pop gemm push store
//   store output[32*x] = out[0] for x<14 pop vector
//   finish 1
//
// `=` sets init, `+=` does not. An index is base + sum of stride * counter; strides of entries are modulo
// 2^16 and print as negative above 2^15. gemm's micro-ops: `uops[begin, count]`, and `u` in reduce is their
// counter. Operand b of vector: absent, par[..], or #immediate. `.insn` and 128 hex digits give a word as it
// is (the disassembler's form of what is no instruction); `.uop acc, inp, wgt` appends to the micro-op image.
// A comment starts with ; or //.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/codec/insn.h"
#include "isa/spec/legality.h"

namespace vdla::isa {

struct Assembly {
  std::vector<InsnWords> insns;
  std::vector<unsigned> lines;  ///< source line of each instruction, from 1
  std::vector<Uop> uops;
};

/// Throws UserError "origin:line:column: what was found, what is needed". Legality is not checked.
Assembly assemble(std::string_view text, std::string_view origin = "<text>");

/// One line without its end.
std::string to_text(const Insn& insn);

/// As to_text(); `.insn ...` when the words do not decode to something that encodes to them again.
std::string to_text(const InsnWords& words);

/// "  .uop 1, 2, 3"
std::string to_text(const Uop& uop);

/// One line per instruction; assemble() gives the same words.
std::string disassemble(std::span<const InsnWords> insns);

}  // namespace vdla::isa
