// SPDX-License-Identifier: Apache-2.0
// The stream as text that reads back: one line for each thing, instructions as assembler text
// (isa/asm/asm.h). A line that begins with # is a comment.
//
//   stream {"block_in": 4, "block_out": 4}              # geometry; a key left out keeps the value of paper.
//                                                     # `stream rows 1 {...}`: functions use one row of B
//   kernel 0 2 * (0, 35, 0), 3 * (5, 0, 9)              # a micro-kernel: count * (acc, inp, wgt), outermost
//   first layer ["conv1", "conv2d", "tile 4"]                 # name, operator, schedule of what follows
//   begin %0 inp[6] at 2 "image"                        # an instance of six entries that must lie at entry 2
//   call act[64], inp %0[1]                             # where the parameters of the function lie: in DRAM,
//   in func f(in X: i8[4, 4], out Y: i8[4, 4] @inp) {      # an instance
//     ...
//   }
//   loops "y=0: load a"                                 # the loops around what follows
//   begin %1 acc[15] "a"
//   load acc[0] = act[64] run 15 in %1                  # the operand counts entries from the first of %1
//   gemm acc[5*i4] = inp[i4] * wgt[0] for i4<3 uops[0, 6] in %1, %0, - kernel 0
//   end %1
//
// Operands lie in the instances behind `in`, in the order of visit_operands(); `-`: in the buffer itself. A
// gemm has `kernel 0 loaded` where its micro-ops lie at uops[..]. What others wait for has a number:
//
//   3: vector out[0] = add(acc[0])
//   gemm acc[4] = inp[0] * wgt[0] uops[0, 6] kernel 0 loaded after 3
#pragma once

#include <string>
#include <string_view>

#include "compiler/codegen/vdla/stream.h"

namespace vdla::codegen {

std::string print(const Stream& stream);

/// Throws UserError "origin:line:column: ..." for text that is no stream. print(parse(text)) is `text`, where
/// print() wrote it; its functions call the intrinsics of the device. Rules of streams are not checked
/// (compiler/codegen/vdla/verify.h).
Stream parse(std::string_view text, std::string_view origin);

/// Whether the text begins as that of a stream does, comments apart.
bool is_stream_text(std::string_view text);

}  // namespace vdla::codegen
