// SPDX-License-Identifier: Apache-2.0
// Kernel of a layer: a function over views of its tensors, and the constants that it reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/loop/stmt.h"

namespace vdla::pipeline::device {

/// Weights and Scales are what a product's second operand was packed to: the layer's second and third inputs.
enum class Role : std::uint8_t { Input, SecondInput, Weights, Scales, Constants, Output };

/// One per parameter of the function: which tensor it is part of, and where in it.
struct DeviceParam {
  Role role;
  std::int64_t offset;  ///< bytes from the start of the tensor (with its border), or of the layer's constants
  std::size_t input = 0;  ///< number among the inputs of Role::Input, where a layer has many of a kind
};

struct DeviceFunction {
  loop::Func func;  ///< loops with marks for passes::lower()
  std::vector<DeviceParam> params;
  std::string schedule;      ///< the knobs, for people
  std::string weights = {};  ///< cost of a zero point of its weights, for people; empty: none
};

struct DeviceKernel {
  std::optional<DeviceFunction> function;  ///< none where nothing is left to move
  std::vector<std::uint8_t> constants;
};

}  // namespace vdla::pipeline::device
