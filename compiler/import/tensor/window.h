// SPDX-License-Identifier: Apache-2.0
// Layers of windows over data N C spatial..., as every format has them.
#pragma once

#include "compiler/import/tensor/network.h"

namespace vdla::import::tensor {

/// One entry for each spatial dimension.
struct WindowAttributes {
  Integers kernel, stride, dilation, before, after;
  /// Part of `after` that the model asks for; ceil_mode may add more, which counts in no average.
  Integers stated_after;
};

/// x [N, C, spatial...] with weights [O, C / groups, spatial...].
Value convolve(const Composer& c, const Value& x, const Value& w, const WindowAttributes& a,
               std::int64_t groups);

/// The convolution of the input, with stride - 1 zeros between its elements, by the flipped kernel of weights
/// [C, O / groups, spatial...]. `before` and `after` are cut from the full result, of which (extent - 1) *
/// stride + (kernel - 1) * dilation + 1 elements are in each dimension; negative ones add zeros.
Value convolve_transposed(const Composer& c, const Value& x, const Value& w, const WindowAttributes& a,
                          std::int64_t groups);

Value pooled(const Composer& c, const Value& x, expr::Reducer reducer, const WindowAttributes& a);

/// Elements of each of `windows` (N, C, one for each window) that lie inside of x, or in the padding that the
/// model states, too; at least one. They broadcast.
Value window_counts(const Composer& c, const Value& x, const Shape& windows, const WindowAttributes& a,
                    bool padding_counts);

/// Means of windows over the elements that lie inside, or with the padding that the model states.
Value average_pooled(const Composer& c, const Value& x, const WindowAttributes& a, bool padding_counts);

/// Means along axes, which stay as dimensions of extent 1 where they are kept.
Value mean_over(const Composer& c, const Value& x, const Integers& axes, bool keep_dims = true);

}  // namespace vdla::import::tensor
