// SPDX-License-Identifier: Apache-2.0
// Intrinsics as text: a name, attributes, the behaviour as a function of loop IR (compiler/loop/print.h shows
// its form) over one step, and the fields of the instruction.
//
//   # One entry of out from one of inp, times a constant.
//   intrinsic amplify
//   attribute gain: i32 in -1000..1000
//   func amplify(out dst: i8[N] @out, in a: i8[K] @inp) {
//     for n in 0..N {
//       dst[n] = i8(min(max(i32(a[n]) * gain, -128i32), 127i32))
//     }
//   }
//   lowering vector
//   op = mac
//   dst_buffer = out
//   a_buffer = inp
//   b_kind = imm
//   imm = gain
//
// B, K and N are the geometry's batch, block_in and block_out. The first parameter is the output; parameters
// are named like the stem of their fields (dst, a, b; acc, inp, wgt) and live in buffers of the device. The
// function is one nest of loops around one store. Where it reads what it stores (inout), `dst[..] = dst[..] +
// value`, or max or min of both, the step accumulates; loops that the store's indices leave out reduce. A
// field is a number, an attribute, or a name of the instruction set; what the code generator sets (loops,
// addresses, tokens) is no field of a lowering.
#pragma once

#include <string_view>

#include "compiler/intrinsics/intrinsic.h"

namespace vdla::tensorize {

/// Throws UserError "origin: line L..." for text that is not of that form.
intrinsics::Intrinsic parse_intrinsic(std::string_view text, std::string_view origin,
                                      const isa::Geometry& geometry);

}  // namespace vdla::tensorize
