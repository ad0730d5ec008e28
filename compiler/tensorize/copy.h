// SPDX-License-Identifier: Apache-2.0
// Copies between DRAM and a buffer of the device as one IntrinsicCall each, "load" and "store".
//
// The tensorized axis is the outermost loop of the copy nest; below it are only loops of constant extent
// (further loops of constant extent around it may be folded by codegen as well) and one store:
//
//   load:   sram[i...] = dram[j...]                                   i8 -> inp, wgt, out;  i32 -> par
//           sram[i...] = i32(dram[j...])                              i8 -> par (widened)
//           sram[i...] = select(inside, dram[j...], pad)              pad a constant; `inside` a conjunction
//           of comparisons
//   store:  dram[j...] = sram[i...], or the same below `if (inside)`  out -> i8
//
// Indices are affine in the loops of the nest (anything outside them may be any index expression of the loops
// around). Each comparison of `inside` bounds an affine index by something that is constant within the nest,
// and involves one loop of the nest, or loops that merge.
//
// The call: outputs[0] and inputs[0] have one extent per loop of the nest, in order, the region of the source
// is virtual where it lies outside `inside`. Attributes: pad (load only; with the source's type), and for
// each condition c of `inside` four or more: bound<c> (I64) with coefficients bound<c>.<d> (I64 constants,
// absent when 0): inside means bound<c> + sum(bound<c>.<d> * e_d) >= 0 for every c.
#pragma once

#include "compiler/loop/stmt.h"
#include "compiler/tensorize/match.h"

namespace vdla::tensorize {

/// Matches a copy nest. `name` is kLoad or kStore.
Match match_copy(const loop::StmtPtr& nest, const std::string& name);

}  // namespace vdla::tensorize
