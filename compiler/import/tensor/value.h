// SPDX-License-Identifier: Apache-2.0
// A value of a model while it is imported.
#pragma once

#include <memory>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/import/origins.h"

namespace vdla::import::tensor {

using graph::DataType;
using graph::Shape;
using Integers = std::vector<std::int64_t>;

struct Pending;
struct RunExtent;

/// Element types of ONNX whose elements this kit keeps in a byte each (narrow.h).
enum class Narrow : std::uint8_t {
  None,
  Float8E4M3FN,
  Float8E4M3FNUZ,
  Float8E5M2,
  Float8E5M2FNUZ,
  UInt4,
  Int4,
  Float4E2M1,
  Float8E8M0,
  UInt2,
  Int2,
};

/// A tensor of the graph, a constant (which may have no element at all), or a pending value. Type and shape
/// are the model's.
struct Value {
  DataType type = DataType::Float32;
  Shape shape;
  graph::SharedBytes data = nullptr;  ///< set: a constant
  graph::TensorId id = graph::kNone;  ///< set: a tensor of the graph
  Origins origins = {};  ///< tensors of the model that a constant or pending value is, or is computed from
  const Pending* pending = nullptr;  ///< set: neither of both yet (Network::made)
  bool refused = false;  ///< a refused operator gives it, of a type or shape that the model does not state
  Narrow narrow = Narrow::None;  ///< set: the elements stand for ones of this type
  /// Dimensions whose extent is known only when the model runs; `shape` has the largest one (extents.h).
  std::shared_ptr<const std::vector<RunExtent>> extents = nullptr;

  bool constant() const { return data != nullptr; }
  std::size_t rank() const { return shape.size(); }
  std::int64_t count() const { return graph::element_count(shape); }
};

}  // namespace vdla::import::tensor
