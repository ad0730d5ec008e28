// SPDX-License-Identifier: Apache-2.0
// Attributes that ONNX's convolutions and pooling share, and layers that operators of other domains extend.
#pragma once

#include "compiler/import/tensor/node.h"
#include "compiler/import/tensor/window.h"

namespace vdla::import::tensor {

/// Attribute "auto_pad", one of its four words.
std::string automatic_padding(const Node& c);

/// Extents of the kernel of weights [O, C / groups, spatial...]; attribute "kernel_shape" may repeat them.
Integers kernel_of(const Node& c, const Shape& w);

/// The kernel with strides, dilations and pads as the node states them, or with those that it need not state.
/// `what` is what messages call the kernel.
WindowAttributes stated_window_of(const Node& c, const Integers& kernel, std::size_t rank,
                                  const std::string& what = "a kernel of shape");

/// `spatial` are the extents of the input's spatial dimensions. Padding by auto_pad is resolved; with
/// ceil_mode the padding behind grows until the last window fits.
WindowAttributes window_of(const Node& c, const Shape& spatial, const Integers& kernel);

/// Window of a ConvTranspose of data `x`, N C spatial..., by weights `w`, C outputs / groups spatial...:
/// before and after are what is cut off the whole result, a negative number adds elements.
WindowAttributes transposed_window_of(const Node& c, const Shape& x, const Shape& w);

/// Result of Conv, whose inputs and attributes the node has: data, weights, bias.
Value convolution(const Node& c);

/// Result of Gemm, whose inputs and attributes the node has.
Value general_product(const Node& c);

}  // namespace vdla::import::tensor
