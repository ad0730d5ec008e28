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
// What the call says: compiler/intrinsics/copy_call.h.
#pragma once

#include "compiler/intrinsics/copy_call.h"
#include "compiler/loop/stmt.h"
#include "compiler/tensorize/matched.h"

namespace vdla::tensorize {

/// Matches a copy nest. `name` is kLoad or kStore.
Match match_copy(const loop::StmtPtr& nest, const std::string& name);

}  // namespace vdla::tensorize
