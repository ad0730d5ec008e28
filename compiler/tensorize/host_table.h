// SPDX-License-Identifier: Apache-2.0
// The intrinsics of CPUs.
//
//   name  destination  value                                     accumulates
//   dot4  i32[L]       sum_k i32(a[k]) * i32(w[n, k]), k in 0..4  sum
//   dot4_shifted       as dot4, with u8(a[k]) ^ 128               sum
//
// L is 4, 8 or 16; w is i8[L, 4], a is u8[4] or i8[4], shifted i8[4]. The sums are exact, whatever
// instruction takes them.
#pragma once

#include <string_view>
#include <vector>

#include "compiler/intrinsics/intrinsic.h"

namespace vdla::tensorize {

inline constexpr const char* kDot4 = "dot4";
inline constexpr const char* kDot4Shifted = "dot4_shifted";

const std::vector<intrinsics::Intrinsic>& host_intrinsics();
bool is_host_intrinsic(std::string_view name);

/// Marks of host_intrinsics() become calls, those of the device and of kernels become their loops. UserError
/// where one does not match, or is of no table.
loop::Func tensorize_for_host(const loop::Func& func);

}  // namespace vdla::tensorize
