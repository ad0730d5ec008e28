// SPDX-License-Identifier: Apache-2.0
// Copies between DRAM and a buffer of the device as one IntrinsicCall each, "load" and "store".
//
// The tensorized axis is the outermost loop of the copy nest; below it are only loops of constant extent
// (further loops of constant extent around it may be folded by codegen as well) and one store:
//
//   load:   sram[i...] = dram[j...]                         i8 -> inp, wgt, out;  i32 -> par
//           sram[i...] = i32(dram[j...])                    i8 -> par (widened)
//           sram[i...] = select(inside, dram[j...], pad)    pad a constant
//           sram[i...] = pad                                i8 -> inp, wgt, out; nothing is read
//   store:  dram[j...] = sram[i...]                         out -> i8
//   each also below `if present`
//
// `inside` and `present` are conjunctions of comparisons. Indices and comparisons are affine in the loops of
// the nest; besides those they may use any index expression of the loops around.
//
// The call: outputs[0] and inputs[0] (none where nothing is read) have one extent per loop of the nest, in
// order. Attributes: pad (load only; with the source's type); for each condition c of `inside` a bound<c>
// (I64) with coefficients bound<c>.<d> (I64 constants, absent when 0): inside means bound<c> +
// sum(bound<c>.<d> * e_d) >= 0 for every c. Elsewhere a load writes pad. guard<c> for `present` likewise:
// elsewhere nothing is copied. Regions are virtual there.
#pragma once

#include "compiler/loop/stmt.h"
#include "compiler/tensorize/match.h"

namespace vdla::tensorize {

inline constexpr const char* kBound = "bound";
inline constexpr const char* kGuard = "guard";

/// Matches a copy nest. `name` is kLoad or kStore.
Match match_copy(const loop::StmtPtr& nest, const std::string& name);

}  // namespace vdla::tensorize
