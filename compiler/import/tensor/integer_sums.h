// SPDX-License-Identifier: Apache-2.0
// Parts of operators on quantised tensors that add up products of integers.
#pragma once

#include "compiler/import/tensor/network.h"

namespace vdla::import::tensor {

/// A scale or zero point as it broadcasts: one element, or one for each index of dimension `axis`.
Value along(const Composer& c, const Value& v, std::size_t rank, std::size_t axis);

/// x - zero point, as int32.
Value centred(const Composer& c, const Value& x, const Value* zero);

/// The largest sum of `depth` products of x with w, both less their zero points. Constant weights count as
/// they are, and are summed along all axes but those of `kept` (the outputs); others by their type.
std::int64_t largest_sum(const Composer& c, std::int64_t depth, const Value& x, const Value& x_zero,
                         const Value& w, const Value& w_zero, const Integers& kept);

/// Refuses sums that, with a bias of up to `bias`, may pass int32.
void check_sums(const Composer& c, std::int64_t depth, const Value& x, const Value& x_zero, const Value& w,
                const Value& w_zero, const Integers& kept, std::int64_t bias);

/// Products of matrices less their zero points, as int32; a bias of up to `bias` may be added to them.
Value integer_product(const Composer& c, const Value& a, const Value& a_zero, const Value& b,
                      const Value& b_zero, std::int64_t bias = 0);

/// Integer accumulators of real value a_scale * b_scale * acc to the output's quantisation.
Value requantised(const Composer& c, const Value& acc, const Value& a_scale, const Value& b_scale,
                  const Value& y_scale, const Value& y_zero);

struct DynamicallyQuantised {
  Value integers, scale, zero;
};

/// x as uint8, with scale and zero point from the range of its values, 0 included; a range of 0 alone has
/// scale 1.
DynamicallyQuantised quantised_by_range(const Composer& c, const Value& x);

}  // namespace vdla::import::tensor
