// SPDX-License-Identifier: Apache-2.0
// An ONNX model with QuantizeLinear and DequantizeLinear at its borders.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/import/import.h"

namespace vdla::tools {

/// real = scale * (integer - zero point)
struct Border {
  float scale = 1;
  std::int64_t zero_point = 0;
};

struct Borders {
  graph::DataType type = graph::DataType::Int8;  ///< int8 or uint8
  std::map<std::string, Border> inputs;          ///< the others stay as they are
  std::vector<std::optional<Border>> outputs;    ///< borders in the model's order
  std::map<std::string, import::Array> bound;    ///< inputs that become constants
};

/// Each input of `borders` is quantised and dequantised before the nodes read it, each output before it
/// leaves. UserError where the model's operator set has no QuantizeLinear and means something else in the
/// first that has it.
graph::Bytes between_qdq(std::span<const std::byte> model, const Borders& borders);

}  // namespace vdla::tools
