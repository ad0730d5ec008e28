// SPDX-License-Identifier: Apache-2.0
// The boundary of a model: values in the model file's type and layout <-> the module's tensors.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "runtime/module/module.h"

namespace vdla::runtime {

/// real = scale * (value - zero_point), of values in the model's type; of a float32 port that is int8 inside,
/// of its integers.
struct PortScale {
  double scale = 1;
  std::int32_t zero_point = 0;
};
/// Nothing for a port whose tensor has no scale.
std::optional<PortScale> scale_of(const Module& module, const Port& port);

/// Bytes of a port's value in the model's type and shape.
std::size_t model_bytes(const Port& port);

/// The model's bytes as the module's tensor. UserError when the size is wrong or the types do not convert.
///   float32 -> int8: round(x / scale), halves as the port says, plus zero point, saturated;  uint8 -> int8:
///   x - 128; equal types: as they are
Bytes to_tensor(const Module& module, const Port& port, std::span<const std::byte> model);
/// Into memory of the tensor's size, without another copy where types and layout are equal.
void to_tensor(const Module& module, const Port& port, std::span<const std::byte> model,
               std::span<std::byte> tensor);

/// Elements of `size` bytes in the order of the model's dimensions, by the port's shape and order alone.
Bytes in_model_order(const Port& port, std::size_t size, std::span<const std::byte> value);

/// The module's tensor as the model's bytes: int8 -> float32: scale * (q - zero point); int8 -> uint8: x +
/// 128; equal types: as they are.
Bytes to_model(const Module& module, const Port& port, std::span<const std::byte> tensor);

}  // namespace vdla::runtime
