// SPDX-License-Identifier: Apache-2.0
// What a layer becomes: a function over views of its tensors, and the constants that it reads.
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
  std::size_t input = 0;  ///< of Role::Input: which one, where a layer has many of a kind
};

struct DeviceFunction {
  loop::Func func;  ///< loops with marks for passes::lower()
  std::vector<DeviceParam> params;
  std::string schedule;  ///< the knobs, for people
  std::string weights;   ///< what a zero point of its weights costs, for people; empty: nothing
};

struct DeviceKernel {
  std::optional<DeviceFunction> function;  ///< none where all inputs of a concatenation are made in place
  std::vector<std::uint8_t> constants;
};

}  // namespace vdla::pipeline::device
