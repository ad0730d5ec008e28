// SPDX-License-Identifier: Apache-2.0
// What a layer becomes: functions over views of its tensors, and the constants that they read.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/loop/stmt.h"
#include "isa/spec/insn.h"

namespace vdla::pipeline::device {

/// Weights and Scales are what a product's second operand was packed to: the layer's second and third inputs.
/// Scratch is what parts of the layer leave on chip for others, in the buffer of the parameter's scope.
enum class Role : std::uint8_t { Input, SecondInput, Weights, Scales, Constants, Output, Scratch };

/// One per parameter of the function: which tensor it is part of, and where in it.
struct DeviceParam {
  Role role;
  std::int64_t offset;    ///< bytes from the start of the tensor (with its border), of the layer's constants,
                          ///< or of its scratch in that buffer
  std::size_t input = 0;  ///< of Role::Input: which one, where a layer has many of a kind
};

/// A layer is one function, or several that each compute a part of the output (pieces of two layers); none
/// where all inputs of a concatenation are made in their places.
struct DevicePart {
  loop::Func func;  ///< loops with marks for tensorize::tensorize()
  std::vector<DeviceParam> params;
  std::string schedule;  ///< the knobs, for people
};

struct DeviceKernel {
  std::vector<DevicePart> parts;
  std::vector<std::uint8_t> constants;  ///< of all parts
  /// Entries of each buffer (scratch_of()), from its first part to its last.
  std::array<std::int64_t, isa::kBuffers.size()> scratch{};
};

inline std::int64_t& scratch_of(DeviceKernel& kernel, isa::Buffer buffer) {
  return kernel.scratch[static_cast<std::size_t>(buffer)];
}
inline std::int64_t scratch_of(const DeviceKernel& kernel, isa::Buffer buffer) {
  return kernel.scratch[static_cast<std::size_t>(buffer)];
}

}  // namespace vdla::pipeline::device
