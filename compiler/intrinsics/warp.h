// SPDX-License-Identifier: Apache-2.0
// The intrinsics of a warp (compiler/grid/warp.h): tensor cores. K is 32 bytes of terms.
//
//   name        destination        value                                  accumulates
//   mma.load_a  T[16, K] @mma.a    src[i, k], in memory @shared           no
//   mma.load_b  T[16, K] @mma.b    src[j, k], in memory @shared           no
//   mma.fill    S[16, 8] @mma.acc  0                                      no
//   mma.sync    S[16, 8] @mma.acc  sum_k S(a[i, k]) * S(b[j, k])          sum
//
// T is f16 or bf16 with sums S of f32, or i8 with sums of i32. Products are exact, and so are sums of i32.
// Sums of f32 are added in an order that the GPU chooses. T is f32, too, where the value is
// sum_k round_tf32(a[i, k]) * round_tf32(b[j, k]): tensor cores take 10 bits of each fraction.
#pragma once

#include <vector>

#include "compiler/intrinsics/intrinsic.h"

namespace vdla::intrinsics {

const std::vector<Intrinsic>& warp_intrinsics();

/// Terms of an operation: 32 bytes. 0 for types of which tensor cores take none.
std::int64_t warp_terms(expr::DType type);
/// Type in which their products are summed up.
expr::DType warp_sums(expr::DType type);

}  // namespace vdla::intrinsics
