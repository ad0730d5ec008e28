// SPDX-License-Identifier: Apache-2.0
// Two layers of the device as one. The file of the operator that takes the second one over says whether they
// can be.
#pragma once

#include <cstddef>
#include <optional>
#include <variant>

#include "compiler/targets/vdla/templates/from_graph.h"
#include "compiler/targets/vdla/templates/ops.h"
#include "isa/spec/geometry.h"

namespace vdla::pipeline::device {

/// One layer, or why this machine cannot do it; nothing where the two do not go together on any machine.
template <class T>
using Joined = std::optional<std::variant<T, WhyNot>>;

/// The sum of a convolution's result, its operand `which`, on the way out of the convolution.
Joined<Conv2d> on_the_way_out(const Conv2d& conv, const Add& sum, std::size_t which,
                              const isa::Geometry& geometry);

/// A depthwise convolution with the one in front of it, piece by piece.
Joined<ConvDepthwise> piece_by_piece(const Conv2d& first, const DepthwiseConv2d& second,
                                     const isa::Geometry& geometry);
/// Whether both layers take less time piece by piece than one after the other, where their activations stay
/// on chip as far as there is room; `from_device`: the input may, too.
bool saves_time(const ConvDepthwise& both, bool from_device, const isa::Variant& variant);

}  // namespace vdla::pipeline::device
