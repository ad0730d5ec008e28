// SPDX-License-Identifier: Apache-2.0
// A layer's function over views of its tensors, and the constants that it reads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/targets/vdla/templates/kernel.h"
#include "compiler/targets/vdla/templates/on_chip.h"
#include "compiler/targets/vdla/templates/outer_axes.h"

namespace vdla::pipeline::device {

/// Part of an activation tensor.
struct View {
  std::int64_t offset = 0;          ///< bytes
  std::int64_t row = 0, pixel = 0;  ///< strides in bytes; in inp with a batch B, of groups of B pixels
  std::string scope = expr::kGlobalScope;
};

/// From (y, x, channel) on, of a tensor in DRAM; with a border, in inp.
View view(const Image& whole, const std::optional<Border>& border, std::int64_t y, std::int64_t x,
          std::int64_t channel, const isa::Geometry& geometry);

/// Views of the activations of a function whose last parameter is its only result.
struct Views {
  View in, second, out;
};
/// One for each parameter.
std::vector<View> by_parameter(const Views& views, const std::vector<DeviceParam>& params);

/// The function with its activations in these places, one for each parameter (of constants and packed
/// operands they are not looked at). `outer`: the first dimensions of its parameters.
DeviceFunction function_of(loop::Func func, std::vector<DeviceParam> params, std::string schedule,
                           const std::vector<View>& views, const OuterAxes& outer = {});

}  // namespace vdla::pipeline::device
