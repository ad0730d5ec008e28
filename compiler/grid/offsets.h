// SPDX-License-Identifier: Apache-2.0
// Offsets into memory that threads have in common, so that two of them can be compared.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/expr/affine.h"

namespace vdla::grid {

/// Offset with as few digits as can be: a fused index that was taken apart in several dimensions is put
/// together. Digits that were joined can be taken apart in another way, so that others are of the same
/// number: of 8 * i + t, where t < 8, floor_div(i, 5) and floor_mod(8 * i + t, 40).
expr::Affine joined(const expr::ExprPtr& offset, const expr::Ranges& ranges);

/// Offset with the halves of a double buffer (compiler/passes/double_buffer.cpp) by one name: floor_mod(x +
/// 1, 2) is 1 - floor_mod(x, 2).
expr::Affine by_even_halves(const expr::Affine& offset);

/// n of floor_mod(x, n), where n is a constant above 1; else 0. The part of a buffer of n parts.
std::int64_t parts_of(const expr::ExprPtr& atom);

/// Distance x - y modulo n of floor_mod(x, n) and floor_mod(y, n), where that is one number; nothing
/// otherwise.
std::optional<std::int64_t> distance_of_parts(const expr::ExprPtr& first, const expr::ExprPtr& second);
/// Distance of sums of one such term.
std::optional<std::int64_t> distance_of_parts(const expr::Affine& first, const expr::Affine& second);

}  // namespace vdla::grid
