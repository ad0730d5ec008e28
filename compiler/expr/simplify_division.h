// SPDX-License-Identifier: Apache-2.0
// Floor division and remainder of affine forms by constants: what split and fuse leave behind.
#pragma once

#include "compiler/expr/affine.h"

namespace vdla::expr {

struct Division {
  Affine quotient, remainder;
};

/// floor_div and floor_mod of `a` by a positive constant, without the operators where the ranges allow it.
Division divide(const Affine& a, std::int64_t divisor, const Ranges& ranges);

/// c * floor_div(x, c) + floor_mod(x, c), and multiples of it, become x.
Affine recombine_divisions(const Affine& a);

/// Joins digits through several levels, as of a fused index that was taken apart in three dimensions and
/// more: 180 * floor_div(x, 180) + 30 * floor_mod(floor_div(x, 30), 6) + floor_mod(x, 30) becomes x.
Affine join_digits(Affine a);

}  // namespace vdla::expr
