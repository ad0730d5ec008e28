// SPDX-License-Identifier: Apache-2.0
// The intrinsics of a thread of a kernel (compiler/grid/thread.h).
//
//   name  destination    value                                    accumulates
//   dp4a  i32[] @local   sum_k i32(a[k]) * i32(b[k]), k in 0..4   sum
//
// a and b are i8[4], in memory @shared or of a parameter. The sum is exact, whatever instructions take it.
#pragma once

#include <vector>

#include "compiler/intrinsics/intrinsic.h"

namespace vdla::intrinsics {

/// Terms of a dp4a.
inline constexpr std::int64_t kDp4aTerms = 4;

const std::vector<Intrinsic>& thread_intrinsics();

}  // namespace vdla::intrinsics
