// SPDX-License-Identifier: Apache-2.0
// Schedules as text: one primitive in a line, in the order in which they were applied. Stages, and
// placeholders of cache_read, by name, the second of one name as NAME@2; loops by name, or @i for the i-th of
// the stage where two have one name.
//
//   cache_write C acc                    # makes stage C.acc
//   split C i 4                          # makes loops i.o and i.i
//   reorder C i.o j i.i
//   compute_at C.acc C j
//   rfactor C.acc k.i                    # makes stage C.acc.rf
//   bind C i.o block.x
//   share_storage D C.acc                # D lies where C.acc lay
//   pad_stride T 0 1                     # dimension 0 of T has strides of one element more
//   rolling_buffer P 2                   # two regions of P outside of all loops, by turns
//   pad_in_place P T                     # P stores the padding around T, which lies in its middle
//   set_scope T shared / unroll, vectorize, parallel, fuse, tensorize, compute_root, compute_inline, ...
#pragma once

#include <string>
#include <string_view>

#include "compiler/schedule/schedule.h"

namespace vdla::schedule {

/// replay() of it on a fresh schedule of the same outputs makes the same schedule.
std::string to_script(const Schedule& schedule);

/// Applies the lines to `schedule`. Throws UserError "line L: ..." for a line that is no primitive, names
/// what is not there, or that the primitive refuses.
void replay(Schedule& schedule, std::string_view script);

}  // namespace vdla::schedule
