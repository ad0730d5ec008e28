// SPDX-License-Identifier: Apache-2.0
// The attributes that convolutions and pooling share.
#pragma once

#include "compiler/import/tensor/node.h"

namespace vdla::import::tensor {

/// One entry for each spatial dimension.
struct WindowAttributes {
  Integers kernel, stride, dilation, before, after;
  /// Part of `after` that the model asks for; ceil_mode may add more, which counts in no average.
  Integers stated_after;
};

/// Attribute "auto_pad", one of its four words.
std::string automatic_padding(const Node& c);

/// Extents of the kernel of weights [O, C / groups, spatial...]; attribute "kernel_shape" may repeat them.
Integers kernel_of(const Node& c, const Value& w);

/// `spatial` are the extents of the input's spatial dimensions. Padding by auto_pad is resolved; with
/// ceil_mode the padding behind grows until the last window fits.
WindowAttributes window_of(const Node& c, const Shape& spatial, const Integers& kernel);

/// x [N, C, spatial...] with weights [O, C / groups, spatial...].
Value convolve(const Node& c, const Value& x, const Value& w, const WindowAttributes& a, std::int64_t groups);

}  // namespace vdla::import::tensor
