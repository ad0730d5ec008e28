// SPDX-License-Identifier: Apache-2.0
// The table of the device's intrinsics, made from the ISA definition and a geometry.
//
// Tensorized axes, from outside in: b (rows of the array; only where B > 1), n, and for gemm and hsum the
// reduce axis k. With out_of(r) = i8(clamp(r + out_zero, clamp_min, clamp_max)), x = i32(a) + a_offset (a in
// acc: a + a_offset), p = par or a constant:
//
//   name   destination     value                                  accumulates in acc
//   gemm   acc             sum_k i32(inp[k]) * i32(wgt[n, k])     sum
//   others acc, out, inp   the row's (isa/spec/operations.h)      as the row combines; replace: no
//   hsum   acc             sum_k i32(a[k]) * p, a in inp          sum
//
// A row has a form for each operand b that it takes; one that counts as a number where it is absent has none
// without, as the immediate says the same. A form whose first steps have a value of their own (max with p)
// computes that one and does not accumulate. A destination in out or inp takes out_of(value) and never
// accumulates. One in acc also takes a plain store of the value (then every step resets). a is in acc, out or
// inp; inp only where K = N, but for sums of a row. A program may leave out zero points that are 0; the clamp
// to int8 must be written.
#pragma once

#include <span>
#include <vector>

#include "compiler/intrinsics/intrinsic.h"
#include "support/fixed_point.h"

namespace vdla::intrinsics {

std::vector<Intrinsic> device_intrinsics(const isa::Geometry& geometry);

/// round_shift_right(srdh_mul((x + bias) << (shifts & 31), multiplier), (shifts >> 8) & 31): bias, multiplier
/// and shifts are rows 0, 1, 2 of one par operand (I32[3][N], consecutive entries). All I32.
expr::ExprPtr scale_value(const expr::ExprPtr& x, const expr::ExprPtr& bias, const expr::ExprPtr& multiplier,
                          const expr::ExprPtr& shifts);

/// x divided by a constant, halves away from zero: sign(x) * (((|x| + half) * reciprocal) >> shift), as
/// divide_by_reciprocal(). x is I32, half U32, reciprocal and shift U64 (constants in a program).
expr::ExprPtr avg_value(const expr::ExprPtr& x, const expr::ExprPtr& half, const expr::ExprPtr& reciprocal,
                        const expr::ExprPtr& shift);
expr::ExprPtr avg_value(const expr::ExprPtr& x, const Reciprocal& reciprocal);

/// i8(clamp(value + out_zero, clamp_min, clamp_max)), all I32.
expr::ExprPtr int8_result(const expr::ExprPtr& value, const expr::ExprPtr& out_zero,
                          const expr::ExprPtr& clamp_min, const expr::ExprPtr& clamp_max);

/// The declaration that a call refers to: by name, number of operands, and
/// their scopes, types and shapes. Null when there is none.
const Intrinsic* find(std::span<const Intrinsic> table, const loop::IntrinsicCall& call);

}  // namespace vdla::intrinsics
