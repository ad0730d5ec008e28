// SPDX-License-Identifier: Apache-2.0
// One tensor of a graph.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "compiler/graph/types.h"
#include "support/source_tensor.h"

namespace vdla::graph {

using TensorId = std::int32_t;
constexpr std::int32_t kNone = -1;

struct Tensor {
  std::string name;
  DataType type = DataType::Int8;
  Shape shape;
  Quantization quantization;
  SharedBytes data;  ///< set: a constant
  /// Tensors of the model that the value stands for, or that it was made of (graph/sources.h). Not set: not
  /// said yet.
  std::optional<Sources> sources = std::nullopt;

  bool constant() const { return data != nullptr; }
  std::size_t bytes() const { return bytes_of(type) * static_cast<std::size_t>(element_count(shape)); }

  /// The constant's elements; T must have the element type's size.
  template <class T>
  std::span<const T> values() const {
    return {reinterpret_cast<const T*>(data->data()), data->size() / sizeof(T)};
  }
};

struct TensorType {
  DataType type = DataType::Int8;
  Shape shape;
  bool operator==(const TensorType&) const = default;
};

}  // namespace vdla::graph
